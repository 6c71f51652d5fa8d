//! The authority of the Pod itself: two environment values and the mounted service account.

use std::net::IpAddr;
use std::net::Ipv6Addr;
use std::path::PathBuf;

use http::Uri;

use crate::cluster::authority::Error;
use crate::cluster::authority::Target;
use crate::cluster::authority::server_name;
use crate::cluster::authority::trust;
use crate::cluster::bearer::Bearer;

/// What the kubelet tells a Pod about the API server, as the caller found it.
#[derive(Clone, Debug)]
pub struct ServiceEnv {
    /// `KUBERNETES_SERVICE_HOST`: an address (IPv6 with or without brackets) or a DNS name.
    pub host: Option<String>,
    /// `KUBERNETES_SERVICE_PORT`.
    pub port: Option<String>,
    /// `KUBERNETES_SERVICE_PORT_HTTPS`, which the barrier dials: where it is set it must be the same port.
    pub port_https: Option<String>,
    /// The directory with `ca.crt` and `token`, absolute.
    pub mount: PathBuf,
}

/// Kubernetes' fixed place for the mounted service account.
pub const MOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

pub(super) fn target(env: &ServiceEnv) -> Result<Target, Error> {
    let host = env.host.as_deref().ok_or(Error::EnvironmentMissing)?;
    let text = env.port.as_deref().ok_or(Error::EnvironmentMissing)?;
    let port = port(text)?;
    if env.port_https.as_deref().is_some_and(|other| other != text) {
        return Err(Error::PortDiffers);
    }
    let (in_url, bare) = names(host)?;
    let server: Uri = format!("https://{in_url}:{port}").parse().map_err(|_invalid| Error::HostInvalid)?;
    let name = server_name(&bare).map_err(|_invalid| Error::HostInvalid)?;
    let tls = trust::tls(trust::authorities(&trust::file(&env.mount.join("ca.crt"))?)?, None)?;
    let bearer = Bearer::from_file(env.mount.join("token"));
    Ok(Target { server, name, tls, bearer })
}

/// The host as it stands in a URL, and as it stands in a certificate.
fn names(host: &str) -> Result<(String, String), Error> {
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if let Ok(address) = bracketed.unwrap_or(host).parse::<Ipv6Addr>() {
        return Ok((format!("[{address}]"), address.to_string()));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let named = host.bytes().all(plain) && host.len() <= 253 && host.bytes().any(|b| b.is_ascii_alphabetic());
    if bracketed.is_some() || !(named || matches!(host.parse(), Ok(IpAddr::V4(_)))) {
        return Err(Error::HostInvalid);
    }
    Ok((host.to_owned(), host.to_owned()))
}

/// A decimal port, 1 to 65535, without sign, leading zero or anything else.
pub(super) fn port(text: &str) -> Result<u16, Error> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_port| plain).ok_or(Error::PortInvalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_plain_decimal() {
        assert_eq!(port("443"), Ok(443));
        assert_eq!(port("65535"), Ok(65535));
        for text in
            ["", "0", "0443", "+443", "-1", " 443", "443 ", "65536", "4.4e2", "tcp://10.0.0.1:443", "４４３"]
        {
            assert_eq!(port(text), Err(Error::PortInvalid), "{text}");
        }
    }

    #[test]
    fn an_ipv6_host_is_bracketed_once_for_the_url_and_bare_for_the_certificate() {
        let expected = Ok(("[fd00::1]".to_owned(), "fd00::1".to_owned()));
        assert_eq!(names("fd00::1"), expected);
        assert_eq!(names("[fd00::1]"), expected);
        assert_eq!(names("10.96.0.1"), Ok(("10.96.0.1".to_owned(), "10.96.0.1".to_owned())));
        assert_eq!(names("api.test"), Ok(("api.test".to_owned(), "api.test".to_owned())));
        for host in
            ["", "[[fd00::1]]", "[10.0.0.1]", "fe80::1%eth0", "a:1", "a/b", "a@b", "10.0.0", "999.1.1.1"]
        {
            assert_eq!(names(host), Err(Error::HostInvalid), "{host}");
        }
    }
}
