//! The Dockerfile and hack/image describe one image: what both write down must be the same, and Cargo's.

use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// What stands between `before` and the next `after`, on whichever line has it first.
fn between<'text>(text: &'text str, before: &str, after: char) -> &'text str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before:?}"));
    rest.split(after).next().unwrap()
}

#[test]
fn the_dockerfile_compiles_with_the_toolchain_that_is_pinned() {
    let toolchain = read("rust-toolchain.toml");
    let channel = between(&toolchain, "channel = \"", '"');
    let dockerfile = read("Dockerfile");
    assert_eq!(between(&dockerfile, " rust:", '-'), channel);
    assert_eq!(between(&dockerfile, "RUSTUP_TOOLCHAIN=", ' '), channel);
    assert!(channel.starts_with(&format!("{}.", env!("CARGO_PKG_RUST_VERSION"))), "{channel}");
}

#[test]
fn the_dockerfile_says_of_the_image_what_cargo_says_of_the_program() {
    let dockerfile = read("Dockerfile");
    let label = |name: &str| between(&dockerfile, &format!("org.opencontainers.image.{name}=\""), '"');
    assert_eq!(label("version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(label("licenses"), "Apache-2.0");
    assert_eq!(label("description"), env!("CARGO_PKG_DESCRIPTION"));
}

#[test]
fn the_dockerfile_and_the_script_agree_about_user_and_name() {
    let (dockerfile, script) = (read("Dockerfile"), read("hack/image"));
    assert_eq!(between(&dockerfile, "\nUSER ", '\n'), between(&script, "\nUSER = \"", '"'));
    assert_eq!(between(&dockerfile, "image.title=\"", '"'), between(&script, "\nNAME = \"", '"'));
    let last = dockerfile.split("\nFROM ").last().unwrap();
    assert!(last.starts_with("scratch\n"), "the last stage starts from nothing");
    assert!(last.contains("\nENTRYPOINT [\"/ql3-ops\"]\n"), "{last}");
    assert!(!dockerfile.contains("\nCMD"), "arguments are the manifests' business");
}
