//! What is rendered stands in `tests/golden`, so that a change of the bundle is seen as what it does.

use super::BASE;
use super::FOLDERS;
use super::PRIVATE;
use crate::support::kustomize::objects;
use crate::support::kustomize::path;
use crate::support::kustomize::render;
use crate::support::lab::Lab;

#[test]
fn every_kustomization_renders_to_its_golden_file() {
    for folder in FOLDERS {
        let name = folder.trim_start_matches("kustomize/").replace("overlays/", "").replace('/', "-");
        let golden = format!("tests/golden/{name}.yaml");
        let expected = std::fs::read_to_string(path(&golden)).unwrap_or_default();
        assert!(
            render(&path(folder)) == expected,
            "{folder} renders to something else: kubectl kustomize {folder} >{golden}, and look at the difference"
        );
    }
    assert_eq!(std::fs::read_dir(path("tests/golden")).unwrap().count(), FOLDERS.len());
}

/// kustomize sorts by kind, so one apply creates the Job first, whatever the order of `resources` is. That is safe: the
/// Pod's first container ends with 0 only once the policy is seen to be in force for that very Pod, and neither token nor
/// database login is mounted into it. Until the policy is there it sees an open port and waits.
#[test]
fn one_apply_emits_the_job_before_the_policy() {
    for folder in [BASE, PRIVATE] {
        let kinds: Vec<_> =
            objects(folder).iter().map(|object| object["kind"].as_str().unwrap().to_owned()).collect();
        let expected = [
            "ServiceAccount",
            "Role",
            "ClusterRole",
            "RoleBinding",
            "ClusterRoleBinding",
            "Job",
            "NetworkPolicy",
        ];
        assert_eq!(kinds, expected, "{folder}");
    }
}

#[test]
fn a_real_api_server_takes_every_field() {
    for folder in FOLDERS {
        assert_eq!(Lab::dry_run(&render(&path(folder))), Ok(()), "{folder}");
    }
    let example = std::fs::read_to_string(path("kustomize/key-retirement/command.example.yaml")).unwrap();
    assert_eq!(Lab::dry_run(&example), Ok(()));
    let wrong = render(&path(BASE)).replace("terminationMessagePolicy", "terminationMessagePolity");
    assert!(Lab::dry_run(&wrong).unwrap_err().contains("terminationMessagePolity"), "it looks");
}
