//! What is expected, privilege by privilege.

use super::Question;

/// One privilege that one role must have, or must not have.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) question: Question,
    /// A role, or [`SELF`].
    pub(super) who: &'static str,
    pub(super) object: Object,
    pub(super) privilege: &'static str,
    pub(super) wanted: bool,
}

/// What the privilege is on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    Role(&'static str),
    Schema(&'static str),
    /// Schema and name, with a dot between.
    Table(&'static str),
}

impl Object {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Role(_) => "role",
            Self::Schema(_) => "schema",
            Self::Table(_) => "table",
        }
    }

    pub(super) fn full(self) -> &'static str {
        match self {
            Self::Role(name) | Self::Schema(name) | Self::Table(name) => name,
        }
    }

    pub(super) fn schema(self) -> Option<&'static str> {
        self.full().split_once('.').map(|(schema, _name)| schema)
    }

    pub(super) fn name(self) -> &'static str {
        self.full().split_once('.').map_or(self.full(), |(_schema, name)| name)
    }
}

/// The role we are logged in as.
pub(super) const SELF: &str = "";

const ARTIFACTS: Object = Object::Table("ql3_ai.model_invocation_prompt_output_artifacts");
const TOMBSTONES: Object = Object::Table("ql3_ai.model_invocation_prompt_output_artifact_tombstones");
const PREPARED: Object = Object::Table("ql3_ai.model_invocation_prompt_output_key_retirement_preparations");
const COMPLETED: Object = Object::Table("ql3_ai.model_invocation_prompt_output_key_retirement_completions");
const ROTATING: Object = Object::Table("ql3_ai.model_invocation_prompt_output_key_rotation_preparations");
const ROTATED: Object = Object::Table("ql3_ai.model_invocation_prompt_output_key_rotation_completions");
const EVIDENCE: [Object; 6] = [
    Object::Table("ql3_ai.ai_schema_migrations"),
    Object::Table("ql3_ai.model_invocation_completions"),
    Object::Table("ql3_ai.model_invocation_prompt_admissions"),
    Object::Table("ql3_ai.model_invocation_prompt_finalizations"),
    Object::Table("ql3.runs"),
    Object::Table("ql3.step_runs"),
];

/// All that is asked, in the order of the report.
pub(super) fn expected() -> Vec<Expected> {
    let member = |role, wanted| Expected {
        question: Question::MaintenanceAuthority,
        who: SELF,
        object: Object::Role(role),
        privilege: "MEMBER",
        wanted,
    };
    let schema = |name, privilege, wanted| Expected {
        question: Question::SchemaAuthority,
        who: SELF,
        object: Object::Schema(name),
        privilege,
        wanted,
    };
    let mut all = vec![
        member("ql3_ai_maintenance", true),
        member("ql3_runtime", false),
        member("ql3_admin", false),
        schema("ql3", "USAGE", true),
        schema("ql3", "CREATE", false),
        schema("ql3_ai", "USAGE", true),
        schema("ql3_ai", "CREATE", false),
    ];
    all.extend(exactly(Question::ArtifactDeleteOnly, SELF, ARTIFACTS, &["SELECT", "DELETE"]));
    all.extend(exactly(Question::TombstoneAppendOnly, SELF, TOMBSTONES, APPEND));
    for table in [PREPARED, COMPLETED] {
        all.extend(exactly(Question::KeyRetirementAppendOnly, SELF, table, APPEND));
    }
    all.extend(exactly(Question::KeyRetirementAppendOnly, "ql3_runtime", PREPARED, &["SELECT"]));
    all.extend(exactly(Question::KeyRetirementAppendOnly, "ql3_runtime", COMPLETED, &[]));
    for table in [ROTATING, ROTATED] {
        all.extend(exactly(Question::KeyRotationAppendOnly, SELF, table, APPEND));
        for stranger in STRANGERS {
            all.extend(exactly(Question::KeyRotationAppendOnly, stranger, table, &[]));
        }
    }
    for table in EVIDENCE {
        all.extend(exactly(Question::TerminalEvidenceReadOnly, SELF, table, &["SELECT"]));
    }
    all
}

/// These privileges of the four on a table, and no others.
fn exactly(
    question: Question,
    who: &'static str,
    object: Object,
    wanted: &'static [&'static str],
) -> impl Iterator<Item = Expected> {
    let all = ["SELECT", "INSERT", "UPDATE", "DELETE"].into_iter();
    all.map(move |privilege| Expected {
        question,
        who,
        object,
        privilege,
        wanted: wanted.contains(&privilege),
    })
}

const APPEND: &[&str] = &["SELECT", "INSERT"];
const STRANGERS: [&str; 4] =
    ["ql3_runtime", "ql3_admin", "ql3_ai_credential_manager", "ql3_ai_credential_tester"];
