//! One context of an operator's kubeconfig. Only static credentials are honoured: nothing is executed, no
//! proxy is asked and nobody is impersonated.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use kube::config::AuthInfo;
use kube::config::Cluster;
use kube::config::Kubeconfig;
use secrecy::ExposeSecret;
use zeroize::Zeroizing;

use crate::cluster::authority::Error;
use crate::cluster::authority::Target;
use crate::cluster::authority::server;
use crate::cluster::authority::server_name;
use crate::cluster::authority::trust;
use crate::cluster::authority::trust::Identity;
use crate::cluster::bearer::Bearer;
use crate::file;
use crate::file::Links;
use crate::hidden::Hidden;

/// Reads the file, picks the context and refuses whatever we would have to ignore or to trust blindly.
pub(super) fn target(path: &Path, context: Option<&str>) -> Result<Target, Error> {
    let file = file::read(path, MAX_FILE, Links::Follow).map_err(Error::KubeconfigUnreadable)?;
    let text = file.bytes.expose_str().ok_or(Error::KubeconfigInvalid)?;
    let config = Kubeconfig::from_yaml(text).map_err(|_invalid| Error::KubeconfigInvalid)?;
    let (cluster, user) = pick(config, context)?;
    refuse_cluster(&cluster)?;
    refuse_user(&user)?;
    let beside = path.parent().unwrap_or(path);

    let (server, bare) = server(cluster.server.as_deref().ok_or(Error::ServerInvalid)?)?;
    let name = server_name(cluster.tls_server_name.as_deref().unwrap_or(&bare))?;
    let authority = cluster.certificate_authority.as_deref();
    let authority = either(cluster.certificate_authority_data.as_deref(), authority, beside)?;
    let roots = trust::authorities(&authority.ok_or(Error::CaMissing)?)?;
    let identity = identity(&user, beside)?;
    let bearer = match (&user.token, &user.token_file) {
        (Some(_), Some(_)) => return Err(Error::TokenAmbiguous),
        (Some(token), None) => Bearer::fixed(Hidden::from(token.expose_secret())),
        (None, Some(file)) => Bearer::from_file(beside.join(file)),
        (None, None) if identity.is_some() => Bearer::none(),
        (None, None) => return Err(Error::CredentialMissing),
    };
    Ok(Target { server, name, tls: trust::tls(roots, identity.as_ref())?, bearer })
}

/// The cluster and the user of the context; a name that stands twice is ambiguous.
fn pick(config: Kubeconfig, context: Option<&str>) -> Result<(Cluster, AuthInfo), Error> {
    let wanted = context.or(config.current_context.as_deref()).ok_or(Error::ContextUnknown)?;
    let context = one(config.contexts, |entry| entry.name == wanted).and_then(|entry| entry.context);
    let context = context.ok_or(Error::ContextUnknown)?;
    let user = context.user.as_deref().unwrap_or_default();
    let cluster = one(config.clusters, |entry| entry.name == context.cluster).and_then(|entry| entry.cluster);
    let user = one(config.auth_infos, |entry| entry.name == user).and_then(|entry| entry.auth_info);
    cluster.zip(user).ok_or(Error::ContextUnknown)
}

fn one<T>(entries: Vec<T>, wanted: impl Fn(&T) -> bool) -> Option<T> {
    let mut found = entries.into_iter().filter(wanted);
    found.next().filter(|_first| found.next().is_none())
}

fn refuse_cluster(cluster: &Cluster) -> Result<(), Error> {
    if cluster.insecure_skip_tls_verify == Some(true) {
        return Err(Error::InsecureRefused);
    }
    match &cluster.proxy_url {
        Some(_) => Err(Error::ProxyRefused),
        None => Ok(()),
    }
}

fn refuse_user(user: &AuthInfo) -> Result<(), Error> {
    let impersonates = user.impersonate.is_some()
        || user.impersonate_uid.is_some()
        || user.impersonate_groups.is_some()
        || user.impersonate_user_extra.is_some();
    if user.exec.is_some() {
        Err(Error::ExecRefused)
    } else if user.auth_provider.is_some() {
        Err(Error::AuthProviderRefused)
    } else if user.username.is_some() || user.password.is_some() {
        Err(Error::PasswordRefused)
    } else if impersonates {
        Err(Error::ImpersonationRefused)
    } else {
        Ok(())
    }
}

fn identity(user: &AuthInfo, beside: &Path) -> Result<Option<Identity>, Error> {
    let certificate =
        either(user.client_certificate_data.as_deref(), user.client_certificate.as_deref(), beside)?;
    let key = user.client_key_data.as_ref().map(ExposeSecret::expose_secret);
    let key = either(key, user.client_key.as_deref(), beside)?;
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some(Identity { certificate, key })),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(Error::CertificateInvalid),
    }
}

/// The value itself where it is given (base64), or the file that is named, relative to the kubeconfig.
fn either(data: Option<&str>, file: Option<&str>, beside: &Path) -> Result<Option<Hidden>, Error> {
    match (data, file) {
        (Some(data), _) => {
            let mut bytes = Zeroizing::new(vec![0; base64::decoded_len_estimate(data.len())]);
            let length = BASE64_STANDARD.decode_slice(data, &mut bytes);
            bytes.truncate(length.map_err(|_invalid| Error::KubeconfigInvalid)?);
            Ok(Some(Hidden::new(std::mem::take(&mut *bytes))))
        }
        (None, Some(file)) => trust::file(&beside.join(file)).map(Some),
        (None, None) => Ok(None),
    }
}

/// Bytes of a kubeconfig.
const MAX_FILE: usize = 1024 * 1024;
