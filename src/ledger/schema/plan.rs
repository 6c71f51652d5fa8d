//! What `install` does next, given what is there. Pure.

use std::collections::BTreeMap;

use super::STEPS;
use super::Step;

/// What the two schemas hold.
pub(super) struct Found {
    /// How many tables and views there are in both.
    pub(super) relations: usize,
    /// Checksum by migration id; empty where there is no history table.
    pub(super) history: BTreeMap<String, String>,
}

/// The next move.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Plan {
    /// Run this step.
    Apply(&'static Step),
    /// Every step is there.
    Complete,
    /// This step is there with another checksum, or without one before it.
    Drifted(&'static str),
    /// The platform's own migrations, or somebody else's tables, are there.
    LeaveAlone,
}

pub(super) fn plan(found: &Found) -> Plan {
    let is_ours = |id: &String| STEPS.iter().any(|step| step.id == id);
    if !found.history.keys().all(is_ours) || (found.history.is_empty() && found.relations > 0) {
        return Plan::LeaveAlone;
    }
    let applied = STEPS.iter().take_while(|step| found.history.contains_key(step.id)).count();
    let out_of_order = STEPS.iter().skip(applied).find(|step| found.history.contains_key(step.id));
    let changed =
        STEPS.iter().find(|step| found.history.get(step.id).is_some_and(|sum| *sum != step.checksum()));
    match (out_of_order.or(changed), STEPS.get(applied)) {
        (Some(step), _) => Plan::Drifted(step.id),
        (None, Some(step)) => Plan::Apply(step),
        (None, None) => Plan::Complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(relations: usize, steps: &[&Step]) -> Found {
        let history = steps.iter().map(|step| (step.id.to_owned(), step.checksum())).collect();
        Found { relations, history }
    }

    #[test]
    fn each_step_follows_the_one_before() {
        for (applied, next) in STEPS.iter().enumerate() {
            let steps: Vec<_> = STEPS.iter().take(applied).collect();
            assert_eq!(plan(&found(applied, &steps)), Plan::Apply(next));
        }
        assert_eq!(plan(&found(9, &STEPS.iter().collect::<Vec<_>>())), Plan::Complete);
        assert_eq!(plan(&found(9, &[&STEPS[1]])), Plan::Drifted(STEPS[1].id));
    }

    #[test]
    fn what_somebody_else_made_is_left_alone() {
        assert_eq!(plan(&found(1, &[])), Plan::LeaveAlone);
        let mut theirs = found(9, &STEPS.iter().collect::<Vec<_>>());
        theirs
            .history
            .insert("pg-9011-ai-plugin-package-prompt-output-key-retirements".into(), "0".repeat(64));
        assert_eq!(plan(&theirs), Plan::LeaveAlone);
    }

    #[test]
    fn a_step_with_another_checksum_is_named() {
        let mut edited = found(9, &STEPS.iter().collect::<Vec<_>>());
        edited.history.insert(STEPS[2].id.into(), "0".repeat(64));
        assert_eq!(plan(&edited), Plan::Drifted(STEPS[2].id));
    }
}
