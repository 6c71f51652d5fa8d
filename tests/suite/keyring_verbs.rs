//! `keyring new`, `inspect` and `verify`, as an operator types them.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;

use serde_json::Value;
use serde_json::json;

use crate::support::program;
use crate::support::program::Ended;

fn keyring(arguments: &[&str]) -> Ended {
    program::run(program::program().arg("keyring").args(arguments))
}

fn json(ended: &Ended) -> Value {
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn a_new_keyring_is_a_private_file_and_is_described_without_its_key() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("keyring.json");
    let out = file.to_str().unwrap();
    assert_eq!(keyring(&["new", "--key", "key-1", "--out", out]).exit, Some(0));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
    let before = std::fs::read(&file).unwrap();
    assert_eq!(keyring(&["new", "--key", "key-2", "--out", out]).exit, Some(65), "it is there already");
    assert_eq!(std::fs::read(&file).unwrap(), before);

    let described = json(&keyring(&["inspect", "--file", out]));
    assert_eq!((&described["generation"], &described["activeKeyId"]), (&json!(1), &json!("key-1")));
    let material =
        serde_json::from_slice::<Value>(&before).unwrap()["keys"]["key-1"].as_str().unwrap().to_owned();
    assert!(!described.to_string().contains(&material));
}

#[test]
fn a_new_keyring_without_a_name_has_an_id_of_the_platforms_form() {
    let described: Value = serde_json::from_str(&keyring(&["new"]).stdout).unwrap();
    let id = described["activeKeyId"].as_str().unwrap();
    assert!(id.starts_with("qlpo-") && id.len() == 21, "{id}");
    assert_eq!(keyring(&["new", "--key", "../x"]).exit, Some(65));
}

#[test]
fn a_secret_manifest_is_one_that_inspect_reads_back() {
    let ended = keyring(&["new", "--key", "key-1", "--secret-manifest", "--namespace", "ns"]);
    let manifest = json(&ended);
    assert_eq!(manifest["metadata"]["namespace"], "ns");
    assert_eq!(manifest["immutable"], false);
    let inspect = ["keyring", "inspect", "--stdin"];
    let described = json(&program::with_stdin(program::program().args(inspect), ended.stdout.as_bytes()));
    assert_eq!(
        manifest["metadata"]["annotations"]["qinglong.io/prompt-output-keyring-catalog-digest"],
        described["catalogDigest"]
    );
    for (what, bytes) in
        [("nothing", Vec::new()), ("YAML", b"kind: Secret\n".to_vec()), ("much", vec![b' '; 3 << 20])]
    {
        let ended = program::with_stdin(program::program().args(inspect), &bytes);
        assert!(matches!(ended.exit, Some(65 | 66)), "{what}: {ended:?}");
        assert_eq!(ended.stdout, "", "{what}");
    }
}

#[test]
fn a_projected_volume_is_verified_as_its_reader_sees_it() {
    let volume = tempfile::tempdir().unwrap();
    let generation = volume.path().join("..2026_11_29");
    std::fs::create_dir(&generation).unwrap();
    let file = generation.join("keyring.json");
    assert_eq!(keyring(&["new", "--key", "key-1", "--out", file.to_str().unwrap()]).exit, Some(0));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o440)).unwrap();
    symlink("..2026_11_29", volume.path().join("..data")).unwrap();
    symlink("..data/keyring.json", volume.path().join("keyring.json")).unwrap();
    let root = volume.path().to_str().unwrap();
    let verified = json(&keyring(&["verify", "--root", root]));
    assert_eq!((&verified["event"], &verified["activeKeyId"]), (&json!("keyring_verified"), &json!("key-1")));

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ended = keyring(&["verify", "--root", root]);
    let failure: Value = serde_json::from_str(&ended.stderr).unwrap();
    assert_eq!(failure["code"], "PLUGIN_PACKAGE_PROMPT_OUTPUT_PROJECTED_KEYRING_UNAVAILABLE", "{ended:?}");
    assert_eq!(keyring(&["verify", "--root", &format!("{root}/")]).exit, ended.exit, "a trailing slash");
}
