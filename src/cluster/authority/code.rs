//! The codes of an unusable authority. The reference prints a bare `TypeError` for all of them.

use crate::cluster::bearer;
use crate::code::Code;
use crate::exit::Exit;

/// The codes of this module.
pub static CODES: &[&Code] = &[
    &AUTH_PROVIDER_REFUSED,
    &CA_DAMAGED,
    &CA_EMPTY,
    &CA_IS_LEAF,
    &CA_MISSING,
    &CERTIFICATE_INVALID,
    &CERTIFICATE_UNREADABLE,
    &CONTEXT_UNKNOWN,
    &CREDENTIAL_MISSING,
    &ENVIRONMENT_MISSING,
    &EXEC_REFUSED,
    &HOST_INVALID,
    &IMPERSONATION_REFUSED,
    &INSECURE_REFUSED,
    &KUBECONFIG_INVALID,
    &KUBECONFIG_UNREADABLE,
    &PASSWORD_REFUSED,
    &PORT_DIFFERS,
    &PORT_INVALID,
    &PROXY_REFUSED,
    &SERVER_INVALID,
    &SERVER_NOT_HTTPS,
    &TOKEN_AMBIGUOUS,
    &bearer::TOKEN_INVALID,
    &bearer::TOKEN_UNREADABLE,
];

pub(super) static AUTH_PROVIDER_REFUSED: Code = Code {
    code: "QL3_KUBECONFIG_AUTH_PROVIDER_REFUSED",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig user relies on an auth-provider plugin",
    remedy: "use a context with a token or a client certificate",
};

pub(super) static CA_DAMAGED: Code = Code {
    code: "QL3_CLUSTER_CA_DAMAGED",
    reference: None,
    name: "TypeError",
    exit: Exit::Data,
    meaning: "a block of the cluster's CA bundle is not a readable certificate",
    remedy: "replace the bundle; the message names block and line",
};

pub(super) static CA_EMPTY: Code = Code {
    code: "QL3_CLUSTER_CA_EMPTY",
    reference: None,
    name: "TypeError",
    exit: Exit::Data,
    meaning: "the cluster's CA bundle holds no certificate",
    remedy: "mount kube-root-ca.crt, or name the cluster's CA in the kubeconfig",
};

pub(super) static CA_IS_LEAF: Code = Code {
    code: "QL3_CLUSTER_CA_IS_LEAF",
    reference: None,
    name: "TypeError",
    exit: Exit::Data,
    meaning: "a server's own certificate is pinned where a CA must stand",
    remedy: "put the CA that issued it into the bundle; the message names the position",
};

pub(super) static CA_MISSING: Code = Code {
    code: "QL3_CLUSTER_CA_MISSING",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig cluster names no certificate authority",
    remedy: "add certificate-authority or certificate-authority-data: system roots are never used",
};

pub(super) static CERTIFICATE_INVALID: Code = Code {
    code: "QL3_CLUSTER_CLIENT_CERTIFICATE_INVALID",
    reference: None,
    name: "TypeError",
    exit: Exit::Data,
    meaning: "client certificate and key are not a usable pair",
    remedy: "give both, in PEM, of one pair",
};

pub(super) static CERTIFICATE_UNREADABLE: Code = Code {
    code: "QL3_CLUSTER_CERTIFICATE_UNREADABLE",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a certificate or key file is missing, too large or unreadable",
    remedy: "check the projected volume, or the path in the kubeconfig",
};

pub(super) static CONTEXT_UNKNOWN: Code = Code {
    code: "QL3_KUBECONFIG_CONTEXT_UNKNOWN",
    reference: None,
    name: "TypeError",
    exit: Exit::NoInput,
    meaning: "the kubeconfig has no single context, cluster and user of that name",
    remedy: "name a context that kubectl config get-contexts shows",
};

pub(super) static CREDENTIAL_MISSING: Code = Code {
    code: "QL3_KUBECONFIG_CREDENTIAL_MISSING",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig user has neither a token nor a client certificate",
    remedy: "use a context with static credentials",
};

pub(super) static ENVIRONMENT_MISSING: Code = Code {
    code: "QL3_CLUSTER_ENVIRONMENT_MISSING",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set",
    remedy: "run it in a Pod, or name a kubeconfig",
};

pub(super) static EXEC_REFUSED: Code = Code {
    code: "QL3_KUBECONFIG_EXEC_REFUSED",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig user relies on an exec plugin",
    remedy: "use a context with a token or a client certificate: no program is started",
};

pub(super) static HOST_INVALID: Code = Code {
    code: "QL3_CLUSTER_HOST_INVALID",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "KUBERNETES_SERVICE_HOST is neither an address nor a DNS name",
    remedy: "see who sets the variable in the Pod",
};

pub(super) static IMPERSONATION_REFUSED: Code = Code {
    code: "QL3_KUBECONFIG_IMPERSONATION_REFUSED",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig user impersonates another",
    remedy: "use the other's own credentials: access reviews must be about who asks",
};

pub(super) static INSECURE_REFUSED: Code = Code {
    code: "QL3_KUBECONFIG_INSECURE_REFUSED",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig cluster skips TLS verification",
    remedy: "name the cluster's CA instead",
};

pub(super) static KUBECONFIG_INVALID: Code = Code {
    code: "QL3_KUBECONFIG_INVALID",
    reference: None,
    name: "TypeError",
    exit: Exit::Data,
    meaning: "the kubeconfig cannot be parsed",
    remedy: "check it with kubectl config view",
};

pub(super) static KUBECONFIG_UNREADABLE: Code = Code {
    code: "QL3_KUBECONFIG_UNREADABLE",
    reference: None,
    name: "TypeError",
    exit: Exit::NoInput,
    meaning: "the kubeconfig is missing, too large or unreadable",
    remedy: "check the path and the file's mode",
};

pub(super) static PASSWORD_REFUSED: Code = Code {
    code: "QL3_KUBECONFIG_PASSWORD_REFUSED",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig user has a user name or a password",
    remedy: "use a context with a token or a client certificate",
};

pub(super) static PORT_DIFFERS: Code = Code {
    code: "QL3_CLUSTER_PORT_DIFFERS",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "KUBERNETES_SERVICE_PORT and KUBERNETES_SERVICE_PORT_HTTPS differ",
    remedy: "see who sets them: the barrier would prove another path than the one used",
};

pub(super) static PORT_INVALID: Code = Code {
    code: "QL3_CLUSTER_PORT_INVALID",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "the API server's port is not a plain decimal number from 1 to 65535",
    remedy: "see who sets the variable in the Pod, or correct the kubeconfig",
};

pub(super) static PROXY_REFUSED: Code = Code {
    code: "QL3_KUBECONFIG_PROXY_REFUSED",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig cluster is reached through a proxy",
    remedy: "run it where the API server is reachable directly",
};

pub(super) static SERVER_INVALID: Code = Code {
    code: "QL3_CLUSTER_SERVER_INVALID",
    reference: None,
    name: "TypeError",
    exit: Exit::Data,
    meaning: "the API server's URL or TLS name is not acceptable",
    remedy: "give https, host, port and path only: no user, query or fragment",
};

pub(super) static SERVER_NOT_HTTPS: Code = Code {
    code: "QL3_CLUSTER_SERVER_NOT_HTTPS",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "the API server's URL is not https",
    remedy: "use the TLS port",
};

pub(super) static TOKEN_AMBIGUOUS: Code = Code {
    code: "QL3_KUBECONFIG_TOKEN_AMBIGUOUS",
    reference: None,
    name: "TypeError",
    exit: Exit::Config,
    meaning: "a kubeconfig user has both a token and a token file",
    remedy: "keep the one that is meant",
};
