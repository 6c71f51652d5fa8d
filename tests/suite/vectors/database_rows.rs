//! `database-rows.json`: the two rows of one retirement, written and read back by the real server.

use ql3_ops::keyring::Absent;
use ql3_ops::keyring::Completion;
use ql3_ops::keyring::Preparation;
use ql3_ops::ledger::Ledger;
use ql3_ops::ledger::Record;
use ql3_ops::ledger::Written;
use serde_json::Value;

use super::Sheet;
use crate::support::postgres::Database;
use crate::support::postgres::deadline;

pub(super) fn run(sheet: &mut Sheet) {
    let preparation = sheet.take("preparationRow");
    let completion = sheet.take("completionRow");
    let seed = sheet.take("lockSeed").as_i64().unwrap();
    let first = (sheet.take("lockString"), sheet.take("lockKeyFromPostgres"));
    let mut other = sheet.take("otherLockExample");
    let second = (other["lockString"].take(), other["lockKeyFromPostgres"].take());
    assert_eq!(other.as_object().unwrap().len(), 2);
    sheet.count(4);
    // The runner is called on a thread without a runtime of its own, and the ledger needs one.
    let work = async {
        let database = Database::installed().await;
        write_and_read(&database, &preparation, &completion).await;
        let admin = database.admin().await;
        for (text, number) in [first, second] {
            let hash = "SELECT hashtextextended($1, $2)::text";
            let row = admin.query_one(hash, &[&text.as_str().unwrap(), &seed]).await.unwrap();
            assert_eq!(row.get::<_, &str>(0), number.as_str().unwrap());
        }
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
}

async fn write_and_read(database: &Database, preparation_row: &Value, completion_row: &Value) {
    let preparation = Preparation::from_value(&preparation_row["preparation_json"]).unwrap();
    let completion = Completion::from_value(&completion_row["completion_json"]).unwrap();
    let absent = Absent {
        key_id: preparation.request().key_id.clone(),
        catalog_digest: completion.retired_catalog_digest(),
        absence_proof: completion.absence_proof(),
    };
    let mut ledger = Ledger::open(&database.settings(), deadline()).await.unwrap();
    let (catalog, proof, at) =
        (preparation.catalog_digest(), preparation.material_proof(), preparation.prepared_at_ms());
    let written = ledger.prepare(preparation.request(), catalog, proof, at, deadline()).await.unwrap();
    assert_eq!(written, Written::Created(preparation.clone()));
    let at = completion.completed_at_ms();
    let written = ledger.complete(&preparation, &absent, at, deadline()).await.unwrap();
    assert_eq!(written, Written::Created(completion.clone()));
    let found = ledger.find(&preparation.request().key_id, deadline()).await.unwrap();
    assert_eq!(found, Some(Record { preparation, completion: Some(completion) }));

    let admin = database.admin().await;
    for (table, expected) in [("preparations", preparation_row), ("completions", completion_row)] {
        let row = format!(
            "SELECT to_jsonb(t)::text FROM ql3_ai.model_invocation_prompt_output_key_retirement_{table} t"
        );
        let row: String = admin.query_one(&row, &[]).await.unwrap().get(0);
        assert_eq!(serde_json::from_str::<Value>(&row).unwrap(), *expected);
    }
}
