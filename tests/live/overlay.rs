//! The operator's private overlays, in a folder that is a copy of the bundle.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use crate::Result;
use crate::command::kubectl;
use crate::command::ops;
use crate::command::variable;

/// A copy of the bundle, with three private overlays.
#[derive(Debug)]
pub(crate) struct Overlay {
    root: TempDir,
}

/// One more patch of a private overlay: the kind that it changes, and operations (RFC 6902) or a part of the object.
#[derive(Debug)]
pub(crate) struct Patch {
    kind: &'static str,
    change: Value,
}

impl Overlay {
    /// The bundle with what an operator fills in: image, API server.
    pub(crate) fn write() -> Result<Self> {
        let overlay = Self { root: tempfile::tempdir()? };
        for folder in ["kustomize", "rbac", "networkpolicy"] {
            copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &overlay.root.path().join(folder))?;
        }
        for (example, private) in [
            (EXAMPLE, PRIVATE),
            ("kustomize/canary/overlays/example-private", CANARY),
            ("kustomize/canary/overlays/example-private-control", CONTROL),
        ] {
            copy(&overlay.path(example), &overlay.path(private))?;
            overlay.name_image(private)?;
        }
        let rules = ops(&["bundle", "endpoint", "--kubeconfig", &variable("QL3_LAB_KUBECONFIG")?], "")?;
        fs::write(overlay.path(PRIVATE).join("api-server-egress-patch.yaml"), rules)?;
        Ok(overlay)
    }

    /// `kubectl apply -k` of the canary.
    pub(crate) fn apply_canary(&self) -> Result<()> {
        self.apply(CANARY)
    }

    /// `kubectl apply -k` of the control Job.
    pub(crate) fn apply_control(&self) -> Result<()> {
        self.apply(CONTROL)
    }

    /// `kubectl apply -k` of Job, identity and policy, all at once.
    pub(crate) fn apply_retirement(&self) -> Result<()> {
        self.apply(PRIVATE)
    }

    /// The same, with patches on top.
    pub(crate) fn apply_patched(&self, patches: &[Patch]) -> Result<()> {
        let folder = self.path(PATCHED);
        fs::create_dir_all(&folder)?;
        let patches: Vec<_> = patches
            .iter()
            .map(|Patch { kind, change }| json!({ "target": { "kind": kind }, "patch": change.to_string() }))
            .collect();
        // JSON is YAML.
        let kustomization = json!({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": ["../private"], "patches": patches,
        });
        fs::write(folder.join("kustomization.yaml"), kustomization.to_string())?;
        self.apply(PATCHED)
    }

    /// `kubectl apply -k` of the public overlay, of which only the image is filled in.
    pub(crate) fn apply_unfilled(&self) -> Result<()> {
        let folder = self.path("kustomize/key-retirement/overlays/unfilled");
        fs::create_dir_all(&folder)?;
        let (name, digest) = image()?;
        let kustomization = json!({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": ["../cloudnative-pg"],
            "images": [{
                "name": "registry.example.com/qinglong/qinglong3-cluster-admin", "newName": name, "digest": digest,
            }],
        });
        fs::write(folder.join("kustomization.yaml"), kustomization.to_string())?;
        kubectl(&["apply", "--kustomize", &folder.to_string_lossy()]).map(drop)
    }

    fn apply(&self, folder: &str) -> Result<()> {
        let folder = self.path(folder);
        let folder = folder.to_string_lossy();
        let rendered = kubectl(&["kustomize", &folder])?;
        for placeholder in ["replace-with-", "192.0.2.", "registry.example.com", &"0".repeat(64)] {
            if rendered.contains(placeholder) {
                return Err(format!("{folder} still holds {placeholder}").into());
            }
        }
        kubectl(&["apply", "--kustomize", &folder]).map(drop)
    }

    fn name_image(&self, folder: &str) -> Result<()> {
        let file = self.path(folder).join("kustomization.yaml");
        let (name, digest) = image()?;
        let lines = fs::read_to_string(&file)?
            .lines()
            .map(|line| match line.trim() {
                word if word.starts_with("newName: ") => format!("    newName: {name}\n"),
                word if word.starts_with("digest: ") => format!("    digest: {digest}\n"),
                _ => format!("{line}\n"),
            })
            .collect::<String>();
        Ok(fs::write(file, lines)?)
    }

    fn path(&self, folder: &str) -> PathBuf {
        self.root.path().join(folder)
    }
}

impl Patch {
    /// Changes the Job.
    pub(crate) fn job(change: Value) -> Self {
        Self { kind: "Job", change }
    }

    /// Changes the policy.
    pub(crate) fn policy(change: Value) -> Self {
        Self { kind: "NetworkPolicy", change }
    }

    /// Changes the rights.
    pub(crate) fn role(change: Value) -> Self {
        Self { kind: "Role", change }
    }
}

/// Name and digest of the image under test.
pub(crate) fn image() -> Result<(String, String)> {
    let image = variable("QL3_LIVE_IMAGE")?;
    let (tagged, digest) = image.split_once('@').ok_or("QL3_LIVE_IMAGE has no digest")?;
    let (name, _tag) = tagged.rsplit_once(':').ok_or("QL3_LIVE_IMAGE has no tag")?;
    Ok((name.to_owned(), digest.to_owned()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

const EXAMPLE: &str = "kustomize/key-retirement/overlays/example-private";
const PRIVATE: &str = "kustomize/key-retirement/overlays/private";
const PATCHED: &str = "kustomize/key-retirement/overlays/patched";
const CANARY: &str = "kustomize/canary/overlays/private";
const CONTROL: &str = "kustomize/canary/overlays/private-control";
