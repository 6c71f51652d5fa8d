//! Whom we speak to and as whom: the Pod's own service account, or one context of an operator's kubeconfig.
//!
//! Nothing here reads the environment. Proxy, `SSL_*` and `KUBECONFIG` variables therefore have no effect.

mod code;
mod error;
mod in_cluster;
mod kubeconfig;
mod trust;

use std::path::PathBuf;

use http::Uri;
use http::uri::Scheme;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;

pub use self::code::CODES;
pub use self::error::Error;
pub use self::in_cluster::MOUNT;
pub use self::in_cluster::ServiceEnv;
use crate::cluster::bearer::Bearer;

/// Where the authority comes from.
#[derive(Clone, Debug)]
pub enum Authority {
    /// The service account that is mounted into the Pod.
    InCluster(ServiceEnv),
    /// One context of a kubeconfig file.
    Kubeconfig {
        /// Absolute path of the file, at most 1 MiB; a symbolic link is followed.
        path: PathBuf,
        /// The context, or the file's current one.
        context: Option<String>,
    },
}

impl Authority {
    /// Reads the files and checks everything that can be checked without a packet.
    pub(crate) fn target(&self) -> Result<Target, Error> {
        match self {
            Self::InCluster(env) => in_cluster::target(env),
            Self::Kubeconfig { path, context } => kubeconfig::target(path, context.as_deref()),
        }
    }
}

/// An API server, how it must prove itself and how we prove ourselves.
pub(crate) struct Target {
    /// Scheme, host, port, and the path before `/api` (without a slash at its end).
    pub(crate) server: Uri,
    /// The name that its certificate must bear.
    pub(crate) name: ServerName<'static>,
    /// Trust and, where there is one, the client certificate.
    pub(crate) tls: ClientConfig,
    /// The token, where there is one.
    pub(crate) bearer: Bearer,
}

/// An `https` URL without user, query or fragment, and the bare host for the certificate.
fn server(text: &str) -> Result<(Uri, String), Error> {
    // `Uri` drops a fragment without a word.
    if text.contains(['#', '?', '@']) {
        return Err(Error::ServerInvalid);
    }
    let uri: Uri = text.parse().map_err(|_invalid| Error::ServerInvalid)?;
    let scheme = uri.scheme().ok_or(Error::ServerInvalid)?;
    if *scheme != Scheme::HTTPS {
        return Err(Error::ServerNotHttps);
    }
    let host = uri.host().filter(|host| !host.is_empty()).ok_or(Error::ServerInvalid)?;
    let after_host = uri.authority().and_then(|authority| authority.as_str().strip_prefix(host));
    if let Some(port) = after_host.and_then(|rest| rest.strip_prefix(':')) {
        in_cluster::port(port)?;
    }
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let bare = bare.to_owned();
    Ok((uri, bare))
}

/// The name in the form that certificates are checked against.
fn server_name(name: &str) -> Result<ServerName<'static>, Error> {
    ServerName::try_from(name.to_owned()).map_err(|_invalid| Error::ServerNameInvalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_https_and_nothing_but_host_port_and_path() {
        let bare = |text: &str| server(text).map(|(_uri, bare)| bare);
        assert_eq!(bare("https://10.0.0.1:6443"), Ok("10.0.0.1".to_owned()));
        assert_eq!(bare("https://[fd00::1]:6443"), Ok("fd00::1".to_owned()));
        assert_eq!(bare("https://rancher.test/k8s/clusters/c-1"), Ok("rancher.test".to_owned()));
        assert_eq!(bare("http://10.0.0.1:6443"), Err(Error::ServerNotHttps));
        assert_eq!(bare("ftp://10.0.0.1"), Err(Error::ServerNotHttps));
        for text in ["", "10.0.0.1", "https://", "https://u:p@h", "https://h?a", "https://h#a", "https://:1"]
        {
            assert_eq!(bare(text), Err(Error::ServerInvalid), "{text}");
        }
        for text in ["https://h:0", "https://h:65536", "https://h:", "https://h:0443"] {
            assert!(bare(text).is_err(), "{text}");
        }
    }
}
