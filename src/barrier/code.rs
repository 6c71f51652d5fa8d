//! The stable codes of the barrier (ADR 2). `ql3-ops explain` and the runbook show them.

use crate::code::Code;
use crate::exit::Exit;

/// The codes of this module.
pub static CODES: &[&Code] = &[
    &API_LOST,
    &CANARY_CROWD,
    &CANARY_LOST,
    &CANARY_UNRESOLVED,
    &CONTROL_FAILED,
    &CREDENTIAL_MOUNTED,
    &DIAL_REFUSED,
    &FAMILY_UNPROVEN,
    &GROUNDLESS,
    &INTERCEPTED,
    &LISTEN_FAILED,
    &NONCE_INVALID,
    &NOT_HELD,
    &NO_ROUND,
    &NO_WAY,
    &OPEN,
    &PROOF_ADDRESS,
    &PROOF_COMMAND,
    &PROOF_MALFORMED,
    &PROOF_NONCE,
    &PROOF_UNBOUND,
    &PROOF_WINDOW,
    &RESET,
    &SERVER_UNRESOLVED,
    &SLOW,
    &STOPPED,
    &TARGET_INVALID,
    &UNTESTIFIED,
];

pub(super) static API_LOST: Code = Code::own(
    "QL3_BARRIER_API_UNREACHABLE",
    Exit::FenceBlind,
    "the API server did not answer beside a silent canary: the network may be down as a whole",
    "allow egress to the API server's endpoint address and port (not only the Service's), then start a new Pod",
);
pub(super) static CANARY_CROWD: Code = Code::own(
    "QL3_BARRIER_CANARY_CROWD",
    Exit::Config,
    "the canary's name has more addresses than the barrier dials",
    "run one or a few canary replicas, and let the name be theirs alone",
);
pub(super) static CANARY_LOST: Code = Code::own(
    "QL3_BARRIER_CANARY_DEAD",
    Exit::FenceBlind,
    "the canary's control port did not answer, so that the silence of its deny port proves nothing",
    "check that the canary's Pod is ready and that the policy allows egress to its control port",
);
pub(super) static CANARY_UNRESOLVED: Code = Code::own(
    "QL3_BARRIER_CANARY_UNRESOLVED",
    Exit::FenceBlind,
    "the canary's name has no address, so that its silence would prove nothing",
    "check the canary's Service, and that the policy allows egress to the cluster's DNS",
);
pub(super) static CONTROL_FAILED: Code = Code::own(
    "QL3_BARRIER_CONTROL_FAILED",
    Exit::FenceBlind,
    "the control, which no policy may select, could not reach the canary's deny port",
    "check that the canary runs, that its port is right, and that no policy selects the control or the canary",
);
pub(super) static CREDENTIAL_MOUNTED: Code = Code::own(
    "QL3_BARRIER_CREDENTIAL_MOUNTED",
    Exit::Config,
    "a ServiceAccount's token is mounted into the barrier, which stands there so that none is mounted too early",
    "set automountServiceAccountToken: false in the Pod, and mount the token into the main container alone",
);
pub(super) static DIAL_REFUSED: Code = Code::own(
    "QL3_BARRIER_DIAL_REFUSED",
    Exit::Os,
    "the operating system refused to dial: no descriptors, no route, or a rule inside the Pod",
    "check the Pod's limit on open files, its routes, and what was injected into its network namespace",
);
pub(super) static FAMILY_UNPROVEN: Code = Code::own(
    "QL3_BARRIER_FAMILY_UNPROVEN",
    Exit::FenceBlind,
    "the canary has an address in a family in which nothing answers",
    "give the canary a control port, or addresses of the API server's family only",
);
pub(super) static GROUNDLESS: Code = Code::own(
    "QL3_BARRIER_GROUNDLESS",
    Exit::Config,
    "neither a control port nor a control proof shows that the canary listens",
    "set QL3_NETWORK_POLICY_CONTROL_PORT, or run the control Job; --canary-alone is the weaker form",
);
pub(super) static INTERCEPTED: Code = Code::own(
    "QL3_BARRIER_INTERCEPTED",
    Exit::FenceBlind,
    "an address that nobody has accepted a connection: a proxy or sidecar answers for everybody",
    "keep sidecars out of the Job's Pod; if somebody does have the address, name others in QL3_NETWORK_POLICY_DECOYS",
);
pub(super) static LISTEN_FAILED: Code = Code::own(
    "QL3_BARRIER_LISTEN_FAILED",
    Exit::Os,
    "the canary could not listen on its ports",
    "check that both addresses are the Pod's own and both ports are free",
);
pub(super) static NONCE_INVALID: Code = Code::own(
    "QL3_BARRIER_NONCE_INVALID",
    Exit::Config,
    "the nonce is missing, a placeholder or not 16 to 128 characters of [A-Za-z0-9._:-]",
    "set QL3_NETWORK_POLICY_NONCE to a fresh value for each operation, the same in control and Job",
);
pub(super) static NOT_HELD: Code = Code::own(
    "QL3_BARRIER_NOT_HELD",
    Exit::FenceBlind,
    "the policy seemed to come into force just before the deadline",
    "start a new Pod; if it happens again, give the barrier a longer --deadline-seconds",
);
pub(super) static NO_ROUND: Code = Code::own(
    "QL3_BARRIER_NO_ROUND",
    Exit::FenceBlind,
    "no round of dials ended before the deadline",
    "give the barrier a longer --deadline-seconds and its container more CPU",
);
pub(super) static NO_WAY: Code = Code::own(
    "QL3_BARRIER_NO_WAY",
    Exit::FenceBlind,
    "a router says that it knows no way to the canary, which says nothing about a policy",
    "check the routes between the Pod's node and the canary's, or that the canary's address is not stale",
);
pub(super) static OPEN: Code = Code::own(
    "QL3_BARRIER_OPEN",
    Exit::FenceOpen,
    "the canary's deny port answered until the deadline: the network policy is not in force for this Pod",
    "check that the policy selects the Pod's labels and that the cluster enforces policies, then start a new Pod",
);
pub(super) static PROOF_ADDRESS: Code = Code::own(
    "QL3_BARRIER_PROOF_OTHER_ADDRESS",
    Exit::FenceBlind,
    "the control reached other addresses than the canary has now",
    "run the control Job again: the canary has moved",
);
pub(super) static PROOF_COMMAND: Code = Code::own(
    "QL3_BARRIER_PROOF_OTHER_COMMAND",
    Exit::FenceBlind,
    "the control proof is for another command file",
    "run the control Job again with this operation's command file",
);
pub(super) static PROOF_MALFORMED: Code = Code::own(
    "QL3_BARRIER_PROOF_MALFORMED",
    Exit::Config,
    "the control proof is not what `ql3-ops barrier control` prints, or is longer than one may be",
    "put the control Job's termination message into the ConfigMap as it is",
);
pub(super) static PROOF_NONCE: Code = Code::own(
    "QL3_BARRIER_PROOF_OTHER_OPERATION",
    Exit::FenceBlind,
    "the control proof has another nonce: it was made for another operation",
    "run the control Job again with this operation's nonce",
);
pub(super) static PROOF_UNBOUND: Code = Code::own(
    "QL3_BARRIER_PROOF_UNBOUND",
    Exit::Config,
    "there is a control proof, and nothing to compare it with",
    "set QL3_NETWORK_POLICY_COMMAND to the command file's bytes and QL3_NETWORK_POLICY_NONCE to the nonce",
);
pub(super) static PROOF_WINDOW: Code = Code::own(
    "QL3_BARRIER_PROOF_OUTSIDE_WINDOW",
    Exit::FenceBlind,
    "the control proof is over, or from the future",
    "run the control Job again; if it is from the future, compare the nodes' clocks",
);
pub(super) static RESET: Code = Code::own(
    "QL3_BARRIER_RESET_UNPROVEN",
    Exit::FenceBlind,
    "the canary's deny port answered with a reset, as a policy may and every closed port does",
    "check the deny port; where the enforcer does reset, run the control Job and pass its proof",
);
pub(super) static SERVER_UNRESOLVED: Code = Code::own(
    "QL3_BARRIER_API_UNRESOLVED",
    Exit::FenceBlind,
    "the API server's name has no address",
    "check KUBERNETES_SERVICE_HOST, and that the policy allows egress to the cluster's DNS",
);
pub(super) static SLOW: Code = Code::own(
    "QL3_BARRIER_SLOW",
    Exit::FenceBlind,
    "answers took so long that silence means nothing yet",
    "look for packet loss or an overloaded node; start a new Pod",
);
pub(super) static STOPPED: Code = Code::own(
    "QL3_BARRIER_STOPPED",
    Exit::TryAgain,
    "SIGTERM or SIGINT came before there was a verdict",
    "start a new Pod",
);
pub(super) static TARGET_INVALID: Code = Code::own(
    "QL3_BARRIER_TARGET_INVALID",
    Exit::Config,
    "the host or port of the API server, the canary or a decoy is missing, malformed or still a placeholder",
    "set QL3_NETWORK_POLICY_DENY_CANARY_HOST and _PORT in the private overlay; the kubelet sets the API server's",
);
pub(super) static UNTESTIFIED: Code = Code::own(
    "QL3_BARRIER_UNTESTIFIED",
    Exit::FenceBlind,
    "the canary's control port answered, but did not say that it serves the deny port at the address dialled",
    "run `ql3-ops barrier canary` behind a headless Service, or run the control Job and pass its proof",
);
