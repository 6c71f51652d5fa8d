//! Why an authority cannot be used. Every one of these is found before the first packet.

use crate::cluster::authority::code;
use crate::cluster::bearer::TokenError;
use crate::code::Code;
use crate::file;
use crate::tls::pem;

/// An authority that cannot be used.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Error {
    /// The user of the context has an `auth-provider`.
    #[error("the user of the context has an auth-provider")]
    AuthProviderRefused,
    /// A block of the CA bundle cannot be read.
    #[error("the CA bundle cannot be read")]
    CaDamaged(#[source] pem::Error),
    /// The CA bundle holds no certificate.
    #[error("the CA bundle holds no certificate")]
    CaEmpty,
    /// A certificate of the CA bundle may not sign others.
    #[error("certificate {block} of the CA bundle is not a CA certificate")]
    CaIsLeaf {
        /// 1-based position in the bundle.
        block: usize,
    },
    /// The cluster of the context names no CA.
    #[error("the cluster of the context names no certificate authority")]
    CaMissing,
    /// Client certificate and key are incomplete, unreadable or do not belong together.
    #[error("the client certificate and its key are not a usable pair")]
    CertificateInvalid,
    /// A file with certificates or a key cannot be read.
    #[error("a certificate or key file cannot be read")]
    CertificateUnreadable(#[source] file::Error),
    /// The kubeconfig has no such context, or its cluster or user is missing or stands twice.
    #[error("the kubeconfig has no single context, cluster and user of the wanted name")]
    ContextUnknown,
    /// The user of the context has neither token nor client certificate.
    #[error("the user of the context has neither a token nor a client certificate")]
    CredentialMissing,
    /// `KUBERNETES_SERVICE_HOST` or `KUBERNETES_SERVICE_PORT` is not set.
    #[error("the Pod's service environment is not set")]
    EnvironmentMissing,
    /// The user of the context has an `exec` plugin.
    #[error("the user of the context has an exec plugin")]
    ExecRefused,
    /// The service host is neither an address nor a DNS name.
    #[error("the service host is neither an address nor a name")]
    HostInvalid,
    /// The user of the context impersonates another.
    #[error("the user of the context impersonates another")]
    ImpersonationRefused,
    /// The cluster of the context skips TLS verification.
    #[error("the cluster of the context skips TLS verification")]
    InsecureRefused,
    /// The kubeconfig is not one, or a value in it is not base64.
    #[error("the kubeconfig is not valid")]
    KubeconfigInvalid,
    /// The kubeconfig file cannot be read.
    #[error("the kubeconfig cannot be read")]
    KubeconfigUnreadable(#[source] file::Error),
    /// The user of the context has a user name or password.
    #[error("the user of the context has a user name or a password")]
    PasswordRefused,
    /// `KUBERNETES_SERVICE_PORT` and `..._PORT_HTTPS` are not the same.
    #[error("the two service ports differ")]
    PortDiffers,
    /// A port is not plain decimal from 1 to 65535.
    #[error("a port is not a plain decimal number from 1 to 65535")]
    PortInvalid,
    /// The cluster of the context has a proxy.
    #[error("the cluster of the context has a proxy")]
    ProxyRefused,
    /// The server is not a URL of host, port and path only.
    #[error("the server is not a URL of host, port and path")]
    ServerInvalid,
    /// The name that the certificate should bear is not one.
    #[error("the TLS server name is not a name or address")]
    ServerNameInvalid,
    /// The server's scheme is not https.
    #[error("the server's scheme is not https")]
    ServerNotHttps,
    /// The token cannot be read or used.
    #[error("the token cannot be used")]
    Token(#[source] TokenError),
    /// The user of the context has both `token` and `tokenFile`; clients differ in which of them they use.
    #[error("the user of the context has both a token and a token file")]
    TokenAmbiguous,
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> &'static Code {
        match self {
            Self::AuthProviderRefused => &code::AUTH_PROVIDER_REFUSED,
            Self::CaDamaged(_) => &code::CA_DAMAGED,
            Self::CaEmpty => &code::CA_EMPTY,
            Self::CaIsLeaf { .. } => &code::CA_IS_LEAF,
            Self::CaMissing => &code::CA_MISSING,
            Self::CertificateInvalid => &code::CERTIFICATE_INVALID,
            Self::CertificateUnreadable(_) => &code::CERTIFICATE_UNREADABLE,
            Self::ContextUnknown => &code::CONTEXT_UNKNOWN,
            Self::CredentialMissing => &code::CREDENTIAL_MISSING,
            Self::EnvironmentMissing => &code::ENVIRONMENT_MISSING,
            Self::ExecRefused => &code::EXEC_REFUSED,
            Self::HostInvalid => &code::HOST_INVALID,
            Self::ImpersonationRefused => &code::IMPERSONATION_REFUSED,
            Self::InsecureRefused => &code::INSECURE_REFUSED,
            Self::KubeconfigInvalid => &code::KUBECONFIG_INVALID,
            Self::KubeconfigUnreadable(_) => &code::KUBECONFIG_UNREADABLE,
            Self::PasswordRefused => &code::PASSWORD_REFUSED,
            Self::PortDiffers => &code::PORT_DIFFERS,
            Self::PortInvalid => &code::PORT_INVALID,
            Self::ProxyRefused => &code::PROXY_REFUSED,
            Self::ServerInvalid | Self::ServerNameInvalid => &code::SERVER_INVALID,
            Self::ServerNotHttps => &code::SERVER_NOT_HTTPS,
            Self::Token(error) => error.code(),
            Self::TokenAmbiguous => &code::TOKEN_AMBIGUOUS,
        }
    }
}
