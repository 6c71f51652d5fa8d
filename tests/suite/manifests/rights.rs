//! Everything that the Job's identity may do.

use serde_json::Value;
use serde_json::json;

use super::RETIREMENTS;
use crate::support::kustomize::objects;
use crate::support::kustomize::one;

const NAME: &str = "ql3-prompt-output-key-retirement";
const REVIEW: &str = "ql3-prompt-output-key-retirement-access-review";

#[test]
fn the_identity_may_read_and_replace_one_secret_and_ask_about_itself() {
    for folder in RETIREMENTS {
        let objects = objects(folder);
        assert_eq!(
            one(&objects, "Role")["rules"],
            json!([{ "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["ql3-prompt-output-keyring"],
                     "verbs": ["get", "update"] }])
        );
        assert_eq!(
            one(&objects, "ClusterRole")["rules"],
            json!([{ "apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews"],
                     "verbs": ["create"] }])
        );
        for (binding, role, name) in
            [("RoleBinding", "Role", NAME), ("ClusterRoleBinding", "ClusterRole", REVIEW)]
        {
            let binding = one(&objects, binding);
            let expected = json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": name });
            assert_eq!((&binding["roleRef"], &binding["metadata"]["name"]), (&expected, &name.into()));
            let subject = json!({ "kind": "ServiceAccount", "name": NAME, "namespace": "qinglong3-system" });
            assert_eq!(binding["subjects"], json!([subject]));
        }
        let account = one(&objects, "ServiceAccount");
        assert_eq!(
            (&account["metadata"]["name"], &account["automountServiceAccountToken"]),
            (&NAME.into(), &false.into())
        );
        assert_eq!(one(&objects, "Job")["spec"]["template"]["spec"]["serviceAccountName"], NAME);
    }
}

#[test]
fn the_canary_and_its_control_are_nobody() {
    for folder in ["kustomize/canary/base", "kustomize/canary/control"] {
        for object in objects(folder) {
            let name = object.pointer("/spec/template/spec/serviceAccountName");
            assert!(name.is_none_or(Value::is_null), "{folder}");
        }
    }
}
