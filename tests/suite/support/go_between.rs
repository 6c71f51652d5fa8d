//! Passes requests on to the lab's real API server, so that a test can lose an answer of its.

use bytes::Bytes;
use http_body_util::BodyExt;
use kube::client::Body;
use kube::config::KubeConfigOptions;
use kube::config::Kubeconfig;

use super::apiserver::Answer;
use super::apiserver::Seen;
use super::lab;

/// Sends a request as it came, with its own credentials, and returns the answer. Blocks.
pub(crate) fn pass_on(seen: &Seen) -> Answer {
    let seen = seen.clone();
    // On a thread of its own: the caller may stand in a runtime.
    let work = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(send(&seen))
    };
    std::thread::spawn(work).join().unwrap()
}

async fn send(seen: &Seen) -> Answer {
    let mut kubeconfig = Kubeconfig::read_from(lab::kubeconfig()).unwrap();
    // The operator's own credentials stay out of it.
    for user in &mut kubeconfig.auth_infos {
        user.auth_info = Some(kube::config::AuthInfo::default());
    }
    let config =
        kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    let client = kube::Client::try_from(config).unwrap();
    let mut request = http::Request::builder().method(seen.method.as_str()).uri(&seen.target);
    for (name, value) in &seen.headers {
        if ["accept", "authorization", "content-type"].contains(&name.as_str()) {
            request = request.header(name, value);
        }
    }
    let answer = client.send(request.body(Body::from(seen.body.clone())).unwrap()).await.unwrap();
    let status = answer.status().as_u16();
    let body: Bytes = answer.into_body().collect().await.unwrap().to_bytes();
    Answer { status, headers: vec![("content-type", "application/json".to_owned())], body: body.to_vec() }
}
