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

pub(super) static AUTH_PROVIDER_REFUSED: Code = Code::type_error(
    "QL3_KUBECONFIG_AUTH_PROVIDER_REFUSED",
    Exit::Config,
    "a kubeconfig user relies on an auth-provider plugin",
    "use a context with a token or a client certificate",
);

pub(super) static CA_DAMAGED: Code = Code::type_error(
    "QL3_CLUSTER_CA_DAMAGED",
    Exit::Data,
    "a block of the cluster's CA bundle is not a readable certificate",
    "replace the bundle; the reason names block and line",
);

pub(super) static CA_EMPTY: Code = Code::type_error(
    "QL3_CLUSTER_CA_EMPTY",
    Exit::Data,
    "the cluster's CA bundle holds no certificate",
    "mount kube-root-ca.crt, or name the cluster's CA in the kubeconfig",
);

pub(super) static CA_IS_LEAF: Code = Code::type_error(
    "QL3_CLUSTER_CA_IS_LEAF",
    Exit::Data,
    "a server's own certificate is pinned where a CA must stand",
    "put the CA that issued it into the bundle; the reason names the position",
);

pub(super) static CA_MISSING: Code = Code::type_error(
    "QL3_CLUSTER_CA_MISSING",
    Exit::Config,
    "a kubeconfig cluster names no certificate authority",
    "add certificate-authority or certificate-authority-data to it: system roots are never used",
);

pub(super) static CERTIFICATE_INVALID: Code = Code::type_error(
    "QL3_CLUSTER_CLIENT_CERTIFICATE_INVALID",
    Exit::Data,
    "client certificate and key are not a usable pair",
    "give a certificate and its own private key, both in PEM",
);

pub(super) static CERTIFICATE_UNREADABLE: Code = Code::type_error(
    "QL3_CLUSTER_CERTIFICATE_UNREADABLE",
    Exit::Config,
    "a certificate or key file is missing, too large or unreadable",
    "check the projected volume, or the path in the kubeconfig",
);

pub(super) static CONTEXT_UNKNOWN: Code = Code::type_error(
    "QL3_KUBECONFIG_CONTEXT_UNKNOWN",
    Exit::NoInput,
    "the kubeconfig has not exactly one context, cluster and user of the name",
    "name a context that `kubectl config get-contexts` shows",
);

pub(super) static CREDENTIAL_MISSING: Code = Code::type_error(
    "QL3_KUBECONFIG_CREDENTIAL_MISSING",
    Exit::Config,
    "a kubeconfig user has neither a token nor a client certificate",
    "use a context with a token or a client certificate",
);

pub(super) static ENVIRONMENT_MISSING: Code = Code::type_error(
    "QL3_CLUSTER_ENVIRONMENT_MISSING",
    Exit::Config,
    "KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set",
    "run it in a Pod, or name a kubeconfig with `--kubeconfig`",
);

pub(super) static EXEC_REFUSED: Code = Code::type_error(
    "QL3_KUBECONFIG_EXEC_REFUSED",
    Exit::Config,
    "a kubeconfig user relies on an exec plugin",
    "use a context with a token or a client certificate: no program is started",
);

pub(super) static HOST_INVALID: Code = Code::type_error(
    "QL3_CLUSTER_HOST_INVALID",
    Exit::Config,
    "KUBERNETES_SERVICE_HOST is neither an address nor a DNS name",
    "take what sets the variable out of the Pod's manifest: the kubelet sets it",
);

pub(super) static IMPERSONATION_REFUSED: Code = Code::type_error(
    "QL3_KUBECONFIG_IMPERSONATION_REFUSED",
    Exit::Config,
    "a kubeconfig user impersonates another",
    "use the other's own credentials: access reviews must be about who asks",
);

pub(super) static INSECURE_REFUSED: Code = Code::type_error(
    "QL3_KUBECONFIG_INSECURE_REFUSED",
    Exit::Config,
    "a kubeconfig cluster skips TLS verification",
    "remove insecure-skip-tls-verify and name the cluster's CA",
);

pub(super) static KUBECONFIG_INVALID: Code = Code::type_error(
    "QL3_KUBECONFIG_INVALID",
    Exit::Data,
    "the kubeconfig cannot be parsed",
    "check it with `kubectl config view`",
);

pub(super) static KUBECONFIG_UNREADABLE: Code = Code::type_error(
    "QL3_KUBECONFIG_UNREADABLE",
    Exit::NoInput,
    "the kubeconfig is missing, too large or unreadable",
    "check the path, and the file's mode and owner",
);

pub(super) static PASSWORD_REFUSED: Code = Code::type_error(
    "QL3_KUBECONFIG_PASSWORD_REFUSED",
    Exit::Config,
    "a kubeconfig user has a user name or a password",
    "use a context with a token or a client certificate",
);

pub(super) static PORT_DIFFERS: Code = Code::type_error(
    "QL3_CLUSTER_PORT_DIFFERS",
    Exit::Config,
    "KUBERNETES_SERVICE_PORT and KUBERNETES_SERVICE_PORT_HTTPS differ",
    "take what sets them out of the Pod's manifest: the barrier would prove another path than the one used",
);

pub(super) static PORT_INVALID: Code = Code::type_error(
    "QL3_CLUSTER_PORT_INVALID",
    Exit::Config,
    "the API server's port is not a plain decimal number from 1 to 65535",
    "take what sets the variable out of the Pod's manifest, or correct the kubeconfig",
);

pub(super) static PROXY_REFUSED: Code = Code::type_error(
    "QL3_KUBECONFIG_PROXY_REFUSED",
    Exit::Config,
    "a kubeconfig cluster is reached through a proxy",
    "remove proxy-url, and run it where the API server is reached directly",
);

pub(super) static SERVER_INVALID: Code = Code::type_error(
    "QL3_CLUSTER_SERVER_INVALID",
    Exit::Data,
    "the API server's URL or TLS name is not acceptable",
    "give https, host, port and path only: no user, query or fragment",
);

pub(super) static SERVER_NOT_HTTPS: Code = Code::type_error(
    "QL3_CLUSTER_SERVER_NOT_HTTPS",
    Exit::Config,
    "the API server's URL is not https",
    "give an https URL with the API server's TLS port",
);

pub(super) static TOKEN_AMBIGUOUS: Code = Code::type_error(
    "QL3_KUBECONFIG_TOKEN_AMBIGUOUS",
    Exit::Config,
    "a kubeconfig user has both a token and a token file",
    "keep one of the two",
);
