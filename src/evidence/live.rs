//! Our own report of a live gate for retiring a key, and its audit.
//!
//! It cannot hold free text or a secret: every member is a number, a flag, one of a few words or a short plain one.
//! Each gate is a function of the facts, so a report that claims more than it observed is found out.

use serde::Deserialize;
use serde::Serialize;

use super::instant::is_instant;
use super::plain::Plain;

/// A whole report.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Report {
    /// Always [`FIXTURE`].
    pub fixture: Plain,
    /// When the gate began, as ECMA-262 writes it.
    pub observed_at: Plain,
    /// What was run.
    pub program: Program,
    /// Where.
    pub platform: Platform,
    /// With which database; none where the run had none of an operator's.
    pub database: Option<Database>,
    /// What was done.
    pub operation: Operation,
    /// What the network let through.
    pub network: Network,
    /// What the API server's audit log says.
    pub requests: Requests,
    /// What follows from all that.
    pub gates: Gates,
    /// Whether every gate passed.
    pub passed: bool,
    /// What it is no evidence of: all of [`LIMITATIONS`], in their order.
    pub limitations: Vec<Limitation>,
}

/// What was run.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Program {
    /// As `ql3-ops --version` says.
    pub version: Plain,
    /// `sha256:` and 64 digits: the image that the kubelet ran.
    pub image: Plain,
}

/// Where it was run.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Platform {
    /// Who put the cluster together.
    pub distribution: Plain,
    /// What the API server says.
    pub kubernetes_version: Plain,
    /// What the nodes say.
    pub architecture: Plain,
    /// What the nodes say.
    pub container_runtime: Plain,
    /// Who enforces network policies.
    pub enforcer: Plain,
    /// What it does with a Pod that it does not know yet.
    pub new_pods: NewPods,
    /// Ready ones.
    pub nodes: u32,
}

/// What an enforcer does with a Pod that it does not know yet.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NewPods {
    /// Nothing gets through.
    Closed,
    /// Everything gets through.
    Open,
}

/// The operator-managed database.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Database {
    /// Who manages it.
    pub operator: Plain,
    /// Its version.
    pub operator_version: Plain,
    /// `server_version_num`.
    pub postgres_version_number: u32,
    /// Wanted.
    pub instances: u32,
    /// There.
    pub ready_instances: u32,
    /// Whose rights the Job had.
    pub role: Plain,
    /// Whether its session was over TLS, as the server says.
    pub tls: bool,
}

/// What the two Jobs did.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is an observation of its own")]
pub struct Operation {
    /// The first Job's termination message.
    pub status: Plain,
    /// The second one's.
    pub replay_status: Plain,
    /// The keyring's, after both.
    pub generation_after: u32,
    /// Records in the keyring.
    pub retirement_count: u32,
    /// Rows for the key.
    pub preparation_count: u32,
    /// Rows for the key.
    pub completion_count: u32,
    /// Of the projected token.
    pub token_seconds: u32,
    /// Whether the active key is still there.
    pub active_key_retained: bool,
    /// Whether the other one is gone.
    pub inactive_key_removed: bool,
    /// Whether the Secret's version changed in the first run and not in the second.
    pub resource_version_changed_once: bool,
    /// Whether the object is the same.
    pub secret_identity_kept: bool,
    /// Whether the init container had no mount at all.
    pub init_without_mounts: bool,
    /// Whether the rights were exactly those that are needed.
    pub rbac_exact: bool,
}

/// What the network let through.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is an observation of its own")]
pub struct Network {
    /// The barrier's word in both Jobs.
    pub barrier: Plain,
    /// Why it could believe the canary.
    pub grounds: Vec<Plain>,
    /// A Pod that no policy selects reaches the canary's deny port.
    pub unselected_reaches_canary: bool,
    /// It reaches the API server.
    pub unselected_reaches_api: bool,
    /// It reaches a host outside the cluster.
    pub unselected_reaches_outside: bool,
    /// A Pod with the Job's labels reaches the canary's deny port.
    pub selected_reaches_canary: bool,
    /// It reaches a host outside the cluster.
    pub selected_reaches_outside: bool,
}

/// Requests of the Job's identity.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Requests {
    /// Of the first Job.
    pub first: Count,
    /// Of the second.
    pub replay: Count,
}

/// Requests by kind.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Count {
    /// `SelfSubjectAccessReview`s.
    pub reviews: u32,
    /// GETs of the Secret.
    pub gets: u32,
    /// PUTs of the Secret.
    pub puts: u32,
    /// Anything else.
    pub others: u32,
}

/// How a gate came out.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The facts do not bear it out.
    Fail,
    /// There are no facts.
    NotRun,
    /// The facts bear it out.
    Pass,
}

/// Every gate of the contract. One that is missing does not parse.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Gates {
    /// A receipt is made once and found again.
    pub durable_replay: Outcome,
    /// The Job may do what it needs, and nothing more.
    pub exact_rbac: Outcome,
    /// It did exactly that, as the API server saw it.
    pub exact_requests: Outcome,
    /// The key is out, the active one is in.
    pub key_retired: Outcome,
    /// An operator-managed PostgreSQL of three instances, over TLS.
    pub managed_database: Outcome,
    /// A real policy: it closes what it must, and only that.
    pub policy_enforced: Outcome,
    /// The init container proved it, in the same Pod, without a credential.
    pub same_pod_barrier: Outcome,
    /// One write of the same object.
    pub secret_compare_and_swap: Outcome,
    /// A projected token of ten minutes.
    pub short_lived_token: Outcome,
}

/// What a report is no evidence of.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limitation {
    /// A lab of one machine says nothing about production hardware, storage or a control plane of several.
    LabIsNotProduction,
    /// The canary is put there for the gate.
    CanaryIsAFixture,
    /// A key in a Secret is in nobody's custody but the cluster's.
    SecretIsNoKeyManagement,
}

/// What is wrong with a report, in the order in which findings are listed.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Finding {
    /// It does not have the shape, or a value is not what it may be.
    #[serde(rename = "QL3_LIVE_REPORT_SHAPE")]
    Shape,
    /// A gate, or the sum of all, says something else than the facts.
    #[serde(rename = "QL3_LIVE_REPORT_MISJUDGED")]
    Misjudged,
    /// A gate did not pass.
    #[serde(rename = "QL3_LIVE_REPORT_NOT_PASSED")]
    NotPassed,
}

impl Report {
    /// The gates that follow from the facts.
    pub fn judge(&self) -> Gates {
        let Self { database, operation, network, requests, platform, .. } = self;
        let outcome = |pass| if pass { Outcome::Pass } else { Outcome::Fail };
        let ready = network.barrier.as_str() == "POLICY_READY";
        Gates {
            durable_replay: outcome(
                operation.status.as_str() == "completed"
                    && operation.replay_status.as_str() == "existing"
                    && (operation.preparation_count, operation.completion_count) == (1, 1),
            ),
            exact_rbac: outcome(operation.rbac_exact),
            exact_requests: outcome(requests.first == FIRST && requests.replay == REPLAY),
            key_retired: outcome(
                operation.inactive_key_removed
                    && operation.active_key_retained
                    && (operation.generation_after, operation.retirement_count) == (2, 1),
            ),
            managed_database: database.as_ref().map_or(Outcome::NotRun, |database| {
                outcome(
                    database.tls
                        && database.instances == 3
                        && database.ready_instances == database.instances
                        && database.postgres_version_number >= 180_000
                        && database.role.as_str() == "ql3_ai_maintenance",
                )
            }),
            policy_enforced: outcome(
                network.unselected_reaches_canary
                    && network.unselected_reaches_api
                    && network.unselected_reaches_outside
                    && !network.selected_reaches_canary
                    && !network.selected_reaches_outside
                    && platform.nodes >= 2,
            ),
            same_pod_barrier: outcome(ready && !network.grounds.is_empty() && operation.init_without_mounts),
            secret_compare_and_swap: outcome(
                operation.resource_version_changed_once && operation.secret_identity_kept,
            ),
            short_lived_token: outcome(operation.token_seconds == 600),
        }
    }

    /// What is wrong with it.
    pub fn audit(&self) -> Vec<Finding> {
        let judged = self.judge();
        let image = self.program.image.as_str().strip_prefix("sha256:");
        let digits = |digest: &str| digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let shape = self.fixture.as_str() == FIXTURE
            && is_instant(self.observed_at.as_str())
            && self.limitations == LIMITATIONS
            && image.is_some_and(|digest| digest.len() == 64 && digits(digest));
        [
            (Finding::Shape, shape),
            (Finding::Misjudged, self.gates == judged && self.passed == self.gates.all_pass()),
            (Finding::NotPassed, self.gates.all_pass() && self.passed),
        ]
        .into_iter()
        .filter_map(|(finding, good)| (!good).then_some(finding))
        .collect()
    }
}

impl Gates {
    /// Whether every one passed. A gate that was not run did not.
    pub fn all_pass(&self) -> bool {
        *self == PASSED
    }
}

const PASSED: Gates = Gates {
    durable_replay: Outcome::Pass,
    exact_rbac: Outcome::Pass,
    exact_requests: Outcome::Pass,
    key_retired: Outcome::Pass,
    managed_database: Outcome::Pass,
    policy_enforced: Outcome::Pass,
    same_pod_barrier: Outcome::Pass,
    secret_compare_and_swap: Outcome::Pass,
    short_lived_token: Outcome::Pass,
};

/// What the report calls itself.
pub const FIXTURE: &str = "ql3-ops/prompt-output-key-retirement-live@v1";

/// Every report states them.
pub const LIMITATIONS: [Limitation; 3] =
    [Limitation::LabIsNotProduction, Limitation::CanaryIsAFixture, Limitation::SecretIsNoKeyManagement];

/// Ten reviews, three reads and the one write.
const FIRST: Count = Count { reviews: 10, gets: 3, puts: 1, others: 0 };

/// Ten reviews and one read.
const REPLAY: Count = Count { reviews: 10, gets: 1, puts: 0, others: 0 };

#[cfg(test)]
mod tests;
