//! `projected-keyring.json`: layouts of a volume and what its reader makes of them.

use std::fs;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::path::PathBuf;

use ql3_ops::keyring::Material;
use ql3_ops::keyring::projected::Error;
use ql3_ops::keyring::projected::Projected;
use tempfile::TempDir;

use super::Case;
use super::Sheet;
use super::hex;

pub(super) fn run(sheet: &mut Sheet) {
    sheet.each("optionsRejected", |case| {
        let root = case.text("rootDirectory");
        let file = case.maybe("dataFileName").map_or(DEFAULT_FILE.to_owned(), super::text);
        let error = Projected::open(Path::new(&root), &file).unwrap_err();
        assert_eq!(error.code().printed(), CODE);
    });
    sheet.each("cases", |case| {
        let layout = case.object("layout");
        let volume = Volume::new();
        let (root, readable) = volume.build(layout);
        let mut outcome = case.object("outcome");
        let projected = Projected::open(&root, DEFAULT_FILE);
        match outcome.maybe("errorCode") {
            Some(code) => assert_eq!(projected.and_then(|p| p.verify()).unwrap_err().code().printed(), code),
            // Without root's rights a mode that does not let the owner read must fail like any other.
            None if !readable && !rustix::process::geteuid().is_root() => {
                assert!(matches!(projected.unwrap().verify(), Err(Error::File(_))));
                drop((outcome.maybe("active"), outcome.maybe("resolveMissing"), outcome.maybe("resolve")));
            }
            None => check_outcome(&mut outcome, &projected.unwrap()),
        }
        outcome.finish();
    });
    let mut rotation = Case::new("rotation", sheet.take("rotation"));
    rotate(&mut rotation);
    rotation.finish();
    sheet.count(1);
}

fn check_outcome(outcome: &mut Case, projected: &Projected) {
    let mut active = outcome.object("active");
    let (key, material) = projected.active().unwrap();
    assert_eq!(key.as_str(), active.text("keyId"));
    assert_eq!(hex(material.expose()), active.text("keyHex"));
    assert_eq!(projected.verify().unwrap().active_key_id, key);
    assert_eq!(projected.resolve(key.as_str()), Ok(Some(material)));
    assert_eq!(projected.resolve("../x").unwrap_err().code().printed(), CODE);
    active.finish();
    let mut missing = outcome.object("resolveMissing");
    assert!(missing.take("result").is_null());
    assert_eq!(projected.resolve(&missing.text("keyId")), Ok(None));
    missing.finish();
}

fn rotate(case: &mut Case) {
    let volume = Volume::new();
    symlink("..data/keyring.json", volume.root.join(DEFAULT_FILE)).unwrap();
    let projected = Projected::open(&volume.root, DEFAULT_FILE).unwrap();
    assert!(projected.active().is_err());
    volume.publish("..one", &case.text("generationOneUtf8"));
    assert_eq!(projected.active().unwrap().0.as_str(), case.text("beforeActive"));
    volume.publish("..two", &case.text("generationTwoUtf8"));
    assert_eq!(projected.active().unwrap().0.as_str(), case.text("afterActive"));
    let one = projected.resolve("prompt-key-one").unwrap();
    let expected = case.text("afterResolvePromptKeyOneHex");
    assert_eq!(one.as_ref().map(Material::expose).map(|bytes| hex(bytes)), Some(expected));
}

/// A volume's root, a place outside of it and a place for links to it, all removed together.
struct Volume {
    _directory: TempDir,
    root: PathBuf,
    outside: PathBuf,
    real_root: PathBuf,
}

impl Volume {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        // Where temporary directories lie behind a link, the paths of this one must not.
        let real = directory.path().canonicalize().unwrap();
        let [root, outside, real_root] = ["root", "outside", "real-root"].map(|name| real.join(name));
        for path in [&root, &outside, &real_root] {
            fs::create_dir(path).unwrap();
        }
        Self { _directory: directory, root, outside, real_root }
    }

    fn fill(&self, text: &str) -> PathBuf {
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let text = text.replace("<real-root>", &path(&self.real_root));
        let text = text.replace("<outside>", &path(&self.outside));
        PathBuf::from(text.replace("<root>", &path(&self.root)))
    }

    /// Makes what the layout says; also tells whether the owner may read every file.
    fn build(&self, mut layout: Case) -> (PathBuf, bool) {
        let root = self.fill(&layout.text("root"));
        let at = |path: &str| root.join(self.fill(path));
        let mut readable = true;
        let (root_links, links): (Vec<_>, Vec<_>) = layout
            .objects("symlinks")
            .into_iter()
            .map(|mut link| (at(&link.text("path")), link))
            .partition(|(path, _)| *path == root);
        for (path, link) in root_links {
            fs::remove_dir(&path).unwrap();
            self.link(&path, link);
        }
        for mut directory in layout.objects("directories") {
            let path = at(&directory.text("path"));
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode(&mut directory))).unwrap();
            directory.finish();
        }
        for name in ["outside", "files"] {
            for mut file in layout.objects(name) {
                let path = at(&file.text("path"));
                fs::write(&path, file.text("contentUtf8")).unwrap();
                let mode = mode(&mut file);
                readable &= mode & 0o400 != 0;
                fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
                file.finish();
            }
        }
        for (path, link) in links {
            self.link(&path, link);
        }
        for mut link in layout.objects("hardLinks") {
            fs::hard_link(at(&link.text("target")), at(&link.text("path"))).unwrap();
            link.finish();
        }
        layout.finish();
        (root, readable)
    }

    fn link(&self, path: &Path, mut link: Case) {
        symlink(self.fill(&link.text("target")), path).unwrap();
        link.finish();
    }

    /// As the kubelet does it: a new directory, then one rename of the link to it.
    fn publish(&self, generation: &str, content: &str) {
        let directory = self.root.join(generation);
        fs::create_dir(&directory).unwrap();
        let file = directory.join(DEFAULT_FILE);
        fs::write(&file, content).unwrap();
        fs::set_permissions(file, Permissions::from_mode(0o440)).unwrap();
        symlink(generation, self.root.join("..data_tmp")).unwrap();
        fs::rename(self.root.join("..data_tmp"), self.root.join("..data")).unwrap();
    }
}

fn mode(case: &mut Case) -> u32 {
    u32::from_str_radix(&case.text("mode"), 8).unwrap()
}

const DEFAULT_FILE: &str = "keyring.json";
const CODE: &str = "PLUGIN_PACKAGE_PROMPT_OUTPUT_PROJECTED_KEYRING_UNAVAILABLE";
