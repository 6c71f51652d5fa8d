//! Each row of the access matrix, flipped by a real Role.

use ql3_ops::cluster::Cluster;
use ql3_ops::cluster::Error;
use ql3_ops::cluster::SecretRef;
use ql3_ops::cluster::review;
use ql3_ops::exit::Exit;
use serde_json::Value;
use serde_json::json;

use super::real::operation_rules;
use crate::support::lab;
use crate::support::lab::Lab;
use crate::support::scene;
use crate::support::scene::soon;

async fn reviewed(rules: &[Value]) -> Result<(), Error> {
    let lab = Lab::new();
    for (index, rules) in rules.iter().enumerate() {
        lab.grant(&format!("role-{index}"), rules.clone());
    }
    let cluster = Cluster::connect(&lab.in_cluster()).unwrap();
    cluster.review(&address(&lab), soon()).await
}

fn address(lab: &Lab) -> SecretRef {
    SecretRef {
        namespace: lab.namespace.clone(),
        name: lab::SECRET.to_owned(),
        uid: "any".to_owned(),
        data_key: scene::DATA_KEY.to_owned(),
    }
}

fn rule(resource: &str, verb: &str, name: Option<&str>) -> Value {
    let mut rule = json!({ "apiGroups": [""], "resources": [resource], "verbs": [verb] });
    if let Some(name) = name {
        rule["resourceNames"] = json!([name]);
    }
    json!([rule])
}

#[tokio::test]
async fn exactly_the_operations_role_passes() {
    assert_eq!(reviewed(&[operation_rules()]).await, Ok(()));
}

#[tokio::test]
async fn a_right_too_few_is_named() {
    let cases = [("update", "get secrets (this one)"), ("get", "update secrets (this one)")];
    for (granted, missing) in cases {
        let error = reviewed(&[rule("secrets", granted, Some(lab::SECRET))]).await.unwrap_err();
        let Error::Review(review::Error::TooNarrow { row }) = error else { panic!("{error:?}") };
        assert_eq!(row.to_string(), missing);
        assert_eq!((error.code().exit, error.code().name), (Exit::Denied, "TypeError"));
    }
}

#[tokio::test]
async fn a_right_too_many_is_named() {
    let other = format!("{}-other", lab::SECRET);
    let cases = [
        (rule("secrets", "list", None), "list secrets"),
        (rule("secrets", "watch", None), "watch secrets"),
        (rule("secrets", "create", None), "create secrets"),
        (rule("secrets", "delete", Some(lab::SECRET)), "delete secrets (this one)"),
        (rule("secrets", "patch", Some(lab::SECRET)), "patch secrets (this one)"),
        (rule("secrets", "get", Some(&other)), "get secrets (another one)"),
        (rule("configmaps", "get", None), "get configmaps"),
        (rule("pods", "get", None), "get pods"),
    ];
    for (extra, named) in cases {
        let error = reviewed(&[operation_rules(), extra]).await.unwrap_err();
        let Error::Review(review::Error::TooWide { row }) = error else { panic!("{error:?}") };
        assert_eq!(row.to_string(), named);
        assert_eq!(error.code().exit, Exit::Denied);
    }
}

#[tokio::test]
async fn a_token_that_nobody_issued_is_denied() {
    let lab = Lab::new();
    lab.forge_token();
    let error =
        Cluster::connect(&lab.in_cluster()).unwrap().review(&address(&lab), soon()).await.unwrap_err();
    assert_eq!((error.code().exit, error.code().name), (Exit::Denied, "Error"));
}
