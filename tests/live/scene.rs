//! What stands before a run: canary, keyring, ledger; and the order, with the control's statement.

use std::time::SystemTime;
use std::time::UNIX_EPOCH;

use crate::Result;
use crate::command::kubectl;
use crate::command::ops;
use crate::command::send;
use crate::command::variable;
use crate::keyring::Keyring;
use crate::ledger;
use crate::overlay::Overlay;
use crate::run;
use crate::say;

/// The scene.
#[derive(Debug)]
pub(crate) struct Scene {
    /// The bundle, filled in.
    pub(crate) overlay: Overlay,
    /// The key to retire. The ledger remembers others, so it has a name of its own.
    pub(crate) key: String,
    /// The key to keep.
    pub(crate) active: String,
    /// Seconds since 1970: when it began.
    pub(crate) begun: u64,
}

impl Scene {
    /// Sets it, on whatever an earlier one left.
    pub(crate) fn set() -> Result<Self> {
        let begun = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let scene = Self {
            overlay: Overlay::write()?,
            key: format!("key-old-{begun}"),
            active: format!("key-new-{begun}"),
            begun,
        };
        run::delete_job(run::JOB)?;
        scene.overlay.apply_canary()?;
        kubectl(&["rollout", "status", "deployment/ql3-retirement-deny-canary", "--timeout=120s"])?;
        say("the canary is ready");
        let keyring = Keyring::make(&scene.key, &scene.active)?;
        say(&format!("the keyring has generation {} and {} keys", keyring.generation, keyring.keys.len()));
        ledger::install()?;
        say("the ledger is installed");
        Ok(scene)
    }

    /// Gives the order to retire the key, and has the control state that the canary can be reached.
    pub(crate) fn order(&self) -> Result<()> {
        let kubeconfig = variable("QL3_LAB_KUBECONFIG")?;
        let order =
            ops(&["retire", "command", "--kubeconfig", &kubeconfig, "--key", &self.key, "--configmap"], "")?;
        send(&["replace", "--force", "--filename=-"], &order)?;
        self.control()
    }

    /// Has the control state anew that the canary can be reached.
    pub(crate) fn control(&self) -> Result<()> {
        run::delete_job(CONTROL)?;
        self.overlay.apply_control()?;
        run::completed(CONTROL, 90)?;
        let statement = kubectl(&["logs", &format!("job/{CONTROL}")])?;
        let proof = ops(&["bundle", "control"], &statement)?;
        send(&["replace", "--force", "--filename=-"], &proof).map(drop)
    }
}

const CONTROL: &str = "ql3-retirement-canary-control";
