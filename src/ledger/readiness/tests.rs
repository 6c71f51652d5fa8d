//! The judgement, without a server; each privilege is flipped on a real one in the suite.

use super::*;

fn perfect() -> Vec<Answer> {
    let answer = |row: &Expected| Answer {
        role: if row.who == SELF { "login".to_owned() } else { row.who.to_owned() },
        role_exists: true,
        object_exists: true,
        holds: row.wanted,
        by: String::new(),
    };
    expected().iter().map(answer).collect()
}

#[test]
fn every_single_privilege_breaks_its_question_alone() {
    let rows = expected();
    assert!(judge(&rows, &perfect()).unwrap().verdict().is_ok());
    for (index, row) in rows.iter().enumerate() {
        let mut answers = perfect();
        answers[index].holds = !row.wanted;
        let readiness = judge(&rows, &answers).unwrap();
        assert_eq!(readiness.current_user, "login");
        for question in Question::ALL {
            assert_eq!(readiness.holds(question), question != row.question, "{row:?}");
        }
        assert!(matches!(readiness.verdict(), Err(Error::NotGranted(1))));
    }
}

#[test]
fn each_fault_says_what_to_run() {
    let rows = expected();
    let advice = |index: usize, change: fn(&mut Answer)| {
        let mut answers = perfect();
        change(&mut answers[index]);
        judge(&rows, &answers).unwrap().faults[0].to_string()
    };
    let insert = rows.iter().position(|row| row.privilege == "INSERT" && row.wanted).unwrap();
    let update = rows.iter().position(|row| row.privilege == "UPDATE").unwrap();
    assert_eq!(advice(0, |a| a.holds = false), "GRANT ql3_ai_maintenance TO login");
    assert!(advice(1, |a| a.holds = true).starts_with("REVOKE ql3_runtime FROM login"));
    assert_eq!(advice(3, |a| a.holds = false), "GRANT USAGE ON SCHEMA ql3 TO login");
    assert_eq!(
        advice(insert, |a| a.holds = false),
        "GRANT INSERT ON ql3_ai.model_invocation_prompt_output_artifact_tombstones TO login"
    );
    let excess = advice(update, |a| {
        a.holds = true;
        a.by = "PUBLIC".to_owned();
    });
    assert_eq!(excess, "REVOKE UPDATE ON ql3_ai.model_invocation_prompt_output_artifacts FROM PUBLIC");
    assert!(advice(update, |a| a.holds = true).contains("owns"));
    assert!(advice(update, |a| a.object_exists = false).contains("ledger install"));
}

#[test]
fn what_is_missing_outweighs_what_is_not_granted() {
    let rows = expected();
    let mut answers = perfect();
    answers[0].holds = false;
    answers[20].object_exists = false;
    assert!(matches!(judge(&rows, &answers).unwrap().verdict(), Err(Error::NotInstalled(2))));
    answers.pop();
    assert!(matches!(judge(&rows, &answers), Err(Error::Spoken)));
}
