//! What the two tables hold about a key, read back with suspicion.
//!
//! A receipt stands in its row twice: member by member in columns, and whole as JSON. Both must agree, the JSON
//! must prove itself, and the two rows of a key must belong together. `jsonb` loses the order of members; the
//! receipt types restore it.

use tokio_postgres::Row as Columns;

use super::Error;
use super::error::Row;
use crate::json;
use crate::keyring::Completion;
use crate::keyring::Preparation;
use crate::keyring::Request;

/// What is recorded about one key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Record {
    /// The fence: since it was committed, no artifact is sealed under the key.
    pub preparation: Preparation,
    /// That the key is gone, where that is recorded.
    pub completion: Option<Completion>,
}

/// Puts together what the two queries found; each was limited to two rows.
pub(super) fn pair(preparations: &[Columns], completions: &[Columns]) -> Result<Option<Record>, Error> {
    let preparation = single(preparations)?.map(read_preparation).transpose()?;
    let completion = single(completions)?.map(read_completion).transpose()?;
    match (preparation, completion) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(Error::Row(Row::Orphan)),
        (Some(preparation), completion) => {
            if completion.as_ref().is_some_and(|completion| !belongs(completion, &preparation)) {
                return Err(Error::Row(Row::Pair));
            }
            Ok(Some(Record { preparation, completion }))
        }
    }
}

fn single(rows: &[Columns]) -> Result<Option<&Columns>, Error> {
    match rows {
        [] => Ok(None),
        [row] => Ok(Some(row)),
        _ => Err(Error::Row(Row::Twice)),
    }
}

fn belongs(completion: &Completion, preparation: &Preparation) -> bool {
    completion.request() == preparation.request() && completion.preparation_digest() == preparation.digest()
}

fn read_preparation(row: &Columns) -> Result<Preparation, Error> {
    let receipt = json::parse(text(row, 8)?.as_bytes()).ok();
    let receipt =
        receipt.and_then(|value| Preparation::from_value(&value).ok()).ok_or(Error::Row(Row::Receipt))?;
    compare_request(row, receipt.request())?;
    compare(row, 4, "catalog_digest", &receipt.catalog_digest().to_string())?;
    compare(row, 5, "material_proof", &receipt.material_proof().to_string())?;
    compare(row, 6, "prepared_at_ms", &receipt.prepared_at_ms().to_string())?;
    compare(row, 7, "preparation_digest", &receipt.digest().to_string())?;
    Ok(receipt)
}

fn read_completion(row: &Columns) -> Result<Completion, Error> {
    let receipt = json::parse(text(row, 9)?.as_bytes()).ok();
    let receipt =
        receipt.and_then(|value| Completion::from_value(&value).ok()).ok_or(Error::Row(Row::Receipt))?;
    compare_request(row, receipt.request())?;
    compare(row, 4, "preparation_digest", &receipt.preparation_digest().to_string())?;
    compare(row, 5, "retired_catalog_digest", &receipt.retired_catalog_digest().to_string())?;
    compare(row, 6, "absence_proof", &receipt.absence_proof().to_string())?;
    compare(row, 7, "completed_at_ms", &receipt.completed_at_ms().to_string())?;
    compare(row, 8, "completion_digest", &receipt.digest().to_string())?;
    Ok(receipt)
}

fn compare_request(row: &Columns, request: &Request) -> Result<(), Error> {
    compare(row, 0, "key_id", request.key_id.as_str())?;
    compare(row, 1, "retirement_id", request.retirement_id.as_str())?;
    compare(row, 2, "request_id", request.request_id.as_str())?;
    compare(row, 3, "mutation_id", request.mutation_id.as_str())
}

fn compare(row: &Columns, index: usize, name: &'static str, expected: &str) -> Result<(), Error> {
    if text(row, index)? == expected { Ok(()) } else { Err(Error::Row(Row::Column(name))) }
}

/// Every column is selected as text; none of ours is null.
fn text(row: &Columns, index: usize) -> Result<&str, Error> {
    row.try_get(index).map_err(|_shape| Error::Spoken)
}

pub(super) const PREPARATION: &str = "
    SELECT key_id::text, retirement_id::text, request_id::text, mutation_id::text,
           catalog_digest::text, material_proof::text, prepared_at_ms::text, preparation_digest::text,
           preparation_json::text
      FROM ql3_ai.model_invocation_prompt_output_key_retirement_preparations
     WHERE key_id = $1
     LIMIT 2";
pub(super) const COMPLETION: &str = "
    SELECT key_id::text, retirement_id::text, request_id::text, mutation_id::text,
           preparation_digest::text, retired_catalog_digest::text, absence_proof::text, completed_at_ms::text,
           completion_digest::text, completion_json::text
      FROM ql3_ai.model_invocation_prompt_output_key_retirement_completions
     WHERE key_id = $1
     LIMIT 2";
