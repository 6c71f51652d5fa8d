//! What a run would do, without doing it.

use std::fmt::Write;

use serde::Serialize;

use super::COMPONENT;
use super::decide;
use super::decide::Refusal;
use super::decide::Scene;
use super::decide::Step;
use super::decide::View;
use crate::exit::Exit;
use crate::keyring::Manifest;
use crate::keyring::Request;
use crate::keyring::Retirement;
use crate::ledger::LiveArtifacts;
use crate::ledger::Record;
use crate::report::Form;
use crate::report::LastWords;
use crate::report::Report;
use crate::time::utc;

/// What a run of the same command would do now. Its exit is the one that the run would have.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    schema_version: u8,
    component: &'static str,
    event: &'static str,
    would: &'static str,
    exit: &'static str,
    exit_code: u8,
    key_id: String,
    retirement_id: String,
    preparation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<Request>,
    generation_before: Option<u64>,
    generation_after: Option<u64>,
    catalog_digest_before: Option<String>,
    catalog_digest_after: Option<String>,
    live_artifacts: Vec<LiveArtifacts>,
    refusals: Vec<Reason>,
    #[serde(skip)]
    first: Option<Refusal>,
}

#[derive(Debug, Serialize)]
struct Reason {
    code: &'static str,
    #[serde(rename = "reason")]
    sentence: String,
    remedy: &'static str,
}

impl Plan {
    /// Judges a scene with the run's own decision.
    pub fn new(request: &Request, scene: &Scene, live_artifacts: Vec<LiveArtifacts>) -> Self {
        let refusals = decide::refusals(request, scene);
        let step = decide::decide(request, scene);
        let first = refusals.first().copied();
        let would = match (&step, first) {
            (_, Some(_)) | (Err(_), None) => "refuse",
            (Ok(Step::Acknowledge(_)), None) => "acknowledge",
            (Ok(Step::Complete(..)), None) => "complete",
            (Ok(Step::Prepare(_)), None) => "prepare-swap-complete",
            (Ok(Step::Swap(_)), None) => "swap-complete",
        };
        let exit = first.map_or(Exit::Done, |refusal| refusal.code().exit);
        let (before, after) = sides(request, scene, step);
        Self {
            schema_version: 1,
            component: COMPONENT,
            event: "key_retirement_planned",
            would,
            exit: exit.name(),
            exit_code: exit.number(),
            key_id: request.key_id.to_string(),
            retirement_id: request.retirement_id.as_str().to_owned(),
            preparation: match &scene.record {
                None => "none",
                Some(Record { completion: None, .. }) => "recorded",
                Some(Record { completion: Some(_), .. }) => "completed",
            },
            recorded: scene.record.as_ref().map(|record| record.preparation.request().clone()),
            generation_before: before.as_ref().map(|side| side.generation),
            generation_after: after.as_ref().map(|side| side.generation),
            catalog_digest_before: before.map(|side| side.catalog_digest),
            catalog_digest_after: after.map(|side| side.catalog_digest),
            live_artifacts,
            refusals: refusals.into_iter().map(Reason::from).collect(),
            first,
        }
    }

    /// How the run would end.
    pub fn exit(&self) -> Exit {
        self.first.map_or(Exit::Done, |refusal| refusal.code().exit)
    }

    /// The plan as a result. It is printed also where the run would be refused: it is what was asked for.
    pub fn report(&self, form: Form) -> Report {
        let stdout = match form {
            Form::Json => serde_json::to_string(self).unwrap_or_default() + "\n",
            Form::Text => self.text(),
        };
        let exit = self.exit();
        let words = LastWords { exit: exit.name(), ..LastWords::done(self.would, None) };
        let code = self.first.map(Refusal::code);
        let last_words =
            LastWords { code: code.map(|code| code.code), hint: code.map(|code| code.remedy), ..words };
        Report { exit, ..Report::done(stdout, last_words) }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut row = |name: &str, value: &str| writeln!(text, "{name:<22}{value}").unwrap_or_default();
        row("key", &self.key_id);
        row("a run would", self.would);
        row("and exit with", &format!("{} {}", self.exit_code, self.exit));
        row("preparation", self.preparation);
        if let Some(Request { key_id: _, retirement_id, request_id, mutation_id }) = &self.recorded {
            row("recorded under", &format!("{retirement_id}, {request_id}, {mutation_id}"));
        }
        let arrow = |before: String, after: Option<String>| match after {
            Some(after) if after != before => format!("{before} -> {after}"),
            _ => format!("{before} (stays)"),
        };
        if let Some(before) = self.generation_before {
            row("generation", &arrow(before.to_string(), self.generation_after.map(|g| g.to_string())));
        }
        if let Some(before) = &self.catalog_digest_before {
            row("catalog digest", &arrow(before.clone(), self.catalog_digest_after.clone()));
        }
        if self.live_artifacts.is_empty() {
            row("live ciphertexts", "none");
        }
        for project in &self.live_artifacts {
            let LiveArtifacts { project_id, count, last_eligible_at_ms } = project;
            let last = utc(*last_eligible_at_ms);
            let line = format!("{count} in {project_id}, the last may be collected from {last} on");
            row("live ciphertexts", &line);
        }
        for Reason { code, sentence, remedy } in &self.refusals {
            row("refused because", sentence);
            row("", &format!("{code}: {remedy}"));
        }
        text
    }
}

impl From<Refusal> for Reason {
    fn from(refusal: Refusal) -> Self {
        let code = refusal.code();
        Self { code: code.code, sentence: refusal.to_string(), remedy: code.remedy }
    }
}

/// A keyring as a plan shows it.
#[derive(Clone)]
struct Side {
    generation: u64,
    catalog_digest: String,
}

impl From<&Manifest> for Side {
    fn from(manifest: &Manifest) -> Self {
        Self { generation: manifest.generation(), catalog_digest: manifest.catalog_digest().to_string() }
    }
}

/// The keyring now, and the one that the run would leave.
fn sides(request: &Request, scene: &Scene, step: Result<Step, Refusal>) -> (Option<Side>, Option<Side>) {
    let View::Read(manifest) = &scene.view else {
        return (None, None);
    };
    let before = Side::from(manifest);
    let preparation = match step {
        Ok(Step::Prepare(present)) => decide::trial(request, &present).ok(),
        Ok(Step::Swap(preparation)) => Some(preparation),
        Ok(Step::Acknowledge(_) | Step::Complete(..)) => return (Some(before.clone()), Some(before)),
        Err(_) => None,
    };
    let after = preparation.and_then(|preparation| match manifest.retire(&preparation) {
        Ok(Retirement::Changed { manifest, .. }) => Some(Side::from(&manifest)),
        Ok(Retirement::Unchanged(_)) | Err(_) => None,
    });
    (Some(before), after)
}
