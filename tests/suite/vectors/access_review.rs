//! The ten reviews, and which of their answers pass. We send all ten at once, so the number that the
//! vectors call sent is for us the number of answers judged.

use http::StatusCode;
use ql3_ops::cluster::SecretRef;
use ql3_ops::cluster::review::Error;
use ql3_ops::cluster::review::ROWS;
use ql3_ops::cluster::review::judge_all;
use ql3_ops::cluster::session;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::Sheet;
use super::secret_validation::assert_code;

type Answers = Vec<Result<Map<String, Value>, session::Error>>;

pub(crate) fn run(sheet: &mut Sheet) {
    let reviews = sheet.cases("reviews");
    assert_eq!(reviews.len(), ROWS.len());
    for (row, review) in ROWS.iter().zip(&reviews) {
        assert_eq!(row.attributes(&secret()), review["resourceAttributes"]);
        assert_eq!(row.allowed(), review["expectedAllowed"]);
    }
    for case in sheet.cases("cases") {
        let mut answers: Answers =
            ROWS.iter().map(|row| Ok(answer(json!({ "allowed": row.allowed() })))).collect();
        script(case["name"].as_str().unwrap(), &mut answers);
        let judged = judge_all(answers);
        let sent = judged.as_ref().map_or_else(position, |()| ROWS.len());
        assert_eq!(sent, case["reviewsSent"], "{}", case["name"]);
        match judged {
            Ok(()) => assert_eq!(case["result"], "ok", "{}", case["name"]),
            Err(error) => assert_code(&error.into(), &case),
        }
    }
}

fn script(name: &str, answers: &mut Answers) {
    match name {
        "exact" => {}
        "get-denied" => answers[0] = Ok(answer(json!({ "allowed": false }))),
        "update-denied" => answers[1] = Ok(answer(json!({ "allowed": false }))),
        "list-allowed" => answers[2] = Ok(answer(json!({ "allowed": true }))),
        "patch-allowed" => answers[6] = Ok(answer(json!({ "allowed": true }))),
        "other-secret-readable" => answers[7] = Ok(answer(json!({ "allowed": true }))),
        "configmaps-readable" => answers[8] = Ok(answer(json!({ "allowed": true }))),
        "denied-entry-with-denied-true" => {
            answers[3] = Ok(answer(json!({ "allowed": false, "denied": true })));
        }
        "status-missing-on-first" => answers[0] = Ok(Map::new()),
        "allowed-missing-on-denied-entry" => answers[2] = Ok(answer(json!({}))),
        "api-500-on-third" => answers[2] = Err(session::Error::Status(StatusCode::INTERNAL_SERVER_ERROR)),
        other => panic!("no script for {other}"),
    }
}

fn answer(status: Value) -> Map<String, Value> {
    Map::from_iter([("status".to_owned(), status)])
}

/// 1-based number of the row at fault.
fn position(error: &Error) -> usize {
    let (Error::Api { row, .. }
    | Error::TooNarrow { row }
    | Error::TooWide { row }
    | Error::Unproven { row }) = error;
    ROWS.iter().position(|found| found == row).unwrap() + 1
}

fn secret() -> SecretRef {
    SecretRef {
        namespace: "qinglong3-system".to_owned(),
        name: "ql3-prompt-output-keyring".to_owned(),
        uid: "uid".to_owned(),
        data_key: "keyring.json".to_owned(),
    }
}
