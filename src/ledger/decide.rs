//! What a writing transaction does, given what it read under the key's fence. Pure.

use super::error::Conflict;
use super::record::Record;
use crate::keyring::Completion;
use crate::keyring::Preparation;

/// The next step of a transaction that holds the fence.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Decision<T> {
    /// The row is there and means the same; this is it.
    Existing(T),
    /// Insert the row.
    Insert,
    /// Leave everything as it is.
    Refuse(Conflict),
}

/// `live` counts the artifacts that are still sealed under the key.
///
/// The reference does not count them where a preparation exists already. We do as long as the key may still be
/// there: a preparation and an artifact can have been committed past each other.
pub(super) fn preparation(found: Option<&Record>, wanted: &Preparation, live: u64) -> Decision<Preparation> {
    match found {
        Some(Record { preparation, .. }) if !means_same(preparation, wanted) => {
            Decision::Refuse(Conflict::Another)
        }
        Some(Record { preparation, completion: Some(_) }) => Decision::Existing(preparation.clone()),
        Some(_) | None if live > 0 => Decision::Refuse(Conflict::LiveArtifacts(live)),
        Some(Record { preparation, completion: None }) => Decision::Existing(preparation.clone()),
        None => Decision::Insert,
    }
}

/// The same order about the same keyring; the recorded time stays.
fn means_same(recorded: &Preparation, wanted: &Preparation) -> bool {
    recorded.request() == wanted.request()
        && recorded.catalog_digest() == wanted.catalog_digest()
        && recorded.material_proof() == wanted.material_proof()
}

/// `preparation` must be the recorded one in every member.
pub(super) fn completion(
    found: Option<&Record>,
    preparation: &Preparation,
    wanted: &Completion,
    live: u64,
) -> Decision<Completion> {
    match found {
        None => Decision::Refuse(Conflict::Unprepared),
        Some(record) if record.preparation != *preparation => Decision::Refuse(Conflict::Another),
        Some(Record { completion: Some(recorded), .. }) => {
            let is_same = recorded.preparation_digest() == wanted.preparation_digest()
                && recorded.retired_catalog_digest() == wanted.retired_catalog_digest()
                && recorded.absence_proof() == wanted.absence_proof();
            if is_same { Decision::Existing(recorded.clone()) } else { Decision::Refuse(Conflict::Another) }
        }
        Some(_) if live > 0 => Decision::Refuse(Conflict::LiveArtifacts(live)),
        Some(_) => Decision::Insert,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::keyring::Digest;
    use crate::keyring::Request;

    fn request(retirement: &str) -> Request {
        let value = json!({"keyId": "k", "retirementId": retirement, "requestId": "q", "mutationId": "m"});
        Request::from_value(&value).unwrap()
    }

    fn digest(digit: &str) -> Digest {
        Digest::parse(&digit.repeat(64)).unwrap()
    }

    fn prepared(retirement: &str, catalog: &str, at: u64) -> Preparation {
        Preparation::new(&request(retirement), digest(catalog), digest("b"), at).unwrap()
    }

    fn completed(preparation: &Preparation, catalog: &str, at: u64) -> Completion {
        Completion::new(preparation, digest(catalog), digest("d"), at).unwrap()
    }

    fn record(preparation: &Preparation, completion: Option<&Completion>) -> Record {
        Record { preparation: preparation.clone(), completion: completion.cloned() }
    }

    #[test]
    fn a_preparation_is_written_once_and_its_first_time_stays() {
        let (first, again) = (prepared("r", "a", 1), prepared("r", "a", 2));
        let done = completed(&first, "c", 3);
        assert_eq!(preparation(None, &first, 0), Decision::Insert);
        assert_eq!(preparation(None, &first, 2), Decision::Refuse(Conflict::LiveArtifacts(2)));
        assert_eq!(preparation(Some(&record(&first, None)), &again, 0), Decision::Existing(first.clone()));
        let finished = record(&first, Some(&done));
        assert_eq!(preparation(Some(&finished), &again, 1), Decision::Existing(first.clone()));
        for other in [prepared("s", "a", 1), prepared("r", "f", 1)] {
            let found = record(&first, None);
            assert_eq!(preparation(Some(&found), &other, 0), Decision::Refuse(Conflict::Another));
        }
    }

    #[test]
    fn a_preparation_that_an_artifact_slipped_past_does_not_go_on() {
        let first = prepared("r", "a", 1);
        let found = record(&first, None);
        assert_eq!(preparation(Some(&found), &first, 1), Decision::Refuse(Conflict::LiveArtifacts(1)));
    }

    #[test]
    fn a_completion_needs_its_own_preparation_and_is_written_once() {
        let first = prepared("r", "a", 1);
        let (done, again) = (completed(&first, "c", 2), completed(&first, "c", 3));
        let open = record(&first, None);
        assert_eq!(completion(None, &first, &done, 0), Decision::Refuse(Conflict::Unprepared));
        assert_eq!(completion(Some(&open), &first, &done, 0), Decision::Insert);
        assert_eq!(completion(Some(&open), &first, &done, 1), Decision::Refuse(Conflict::LiveArtifacts(1)));
        let later = prepared("r", "a", 2);
        assert_eq!(completion(Some(&open), &later, &done, 0), Decision::Refuse(Conflict::Another));
        let finished = record(&first, Some(&done));
        assert_eq!(completion(Some(&finished), &first, &again, 0), Decision::Existing(done.clone()));
        let other = completed(&first, "f", 2);
        assert_eq!(completion(Some(&finished), &first, &other, 0), Decision::Refuse(Conflict::Another));
    }
}
