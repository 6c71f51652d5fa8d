//! What a row starts from: a network, an API server, a canary with its twin, nothing enforced; and the barrier
//! as an operator would start it there.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Child;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use rustix::process::Pid;
use rustix::process::Signal;
use tempfile::TempDir;

use super::Result;
use super::family::Family;
use super::flap::Flapper;
use super::launch::Launch;
use super::names::Answer;
use super::names::NameServer;
use super::net::Net;
use super::net::Place;
use super::net::Spaces;
use super::program;
use super::program::Ended;
use super::rules;
use super::serve::Listener;
use super::serve::Manner;
use super::slow::Line;

/// A network with what lives in it. Fields end in their order: processes before the namespaces they are in.
pub(crate) struct Scene {
    /// Started by the row, or its surroundings; ends with it.
    kept: Vec<Box<dyn Any + Send + Sync>>,
    pub(crate) canaries: Vec<Canary>,
    pub(crate) api: Vec<Listener>,
    pub(crate) family: Family,
    /// The barrier's environment.
    pub(crate) environment: BTreeMap<String, String>,
    /// More arguments.
    pub(crate) arguments: Vec<String>,
    pub(crate) launch: Launch,
    pub(crate) deadline: u64,
    folder: TempDir,
    pub(crate) net: Net,
}

impl Scene {
    /// With the API server and one canary, in the one family or (for a row about both) in both.
    pub(crate) fn new(family: Family) -> Result<Self> {
        let mut scene = Self::empty(family)?;
        for family in Family::BOTH {
            scene.serve_api(family)?;
        }
        scene.start_canary(family.canary())?;
        Ok(scene)
    }

    /// Without anything that listens.
    pub(crate) fn empty(family: Family) -> Result<Self> {
        let mut scene = Self {
            kept: Vec::new(),
            canaries: Vec::new(),
            api: Vec::new(),
            family,
            environment: BTreeMap::new(),
            arguments: Vec::new(),
            launch: Launch { program: program::path(), ..Launch::default() },
            deadline: 2,
            folder: tempfile::tempdir()?,
            net: Net::new()?,
        };
        fs::set_permissions(scene.folder.path(), fs::Permissions::from_mode(0o755))?;
        scene.set("KUBERNETES_SERVICE_HOST", family.api());
        scene.set("KUBERNETES_SERVICE_PORT_HTTPS", rules::API);
        scene.set(CANARY_HOST, family.canary());
        scene.set(CANARY_PORT, rules::DENY);
        scene.set(CONTROL_PORT, rules::CONTROL);
        Ok(scene)
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Display) {
        self.environment.insert(name.to_owned(), value.to_string());
    }

    pub(crate) fn unset(&mut self, name: &str) {
        self.environment.remove(name);
    }

    pub(crate) fn serve_api(&mut self, family: Family) -> Result<()> {
        let at = SocketAddr::new(family.api(), rules::API);
        self.api.push(Listener::new(&self.net, Place::Server, at, Manner::Accept)?);
        Ok(())
    }

    /// A listener on the server; lives as long as the scene.
    pub(crate) fn serve(&mut self, at: IpAddr, port: u16, manner: Manner) -> Result<()> {
        let listener = Listener::new(&self.net, Place::Server, SocketAddr::new(at, port), manner)?;
        self.keep(listener);
        Ok(())
    }

    pub(crate) fn keep(&mut self, thing: impl Any + Send + Sync) {
        self.kept.push(Box::new(thing));
    }

    /// The program's own canary.
    pub(crate) fn start_canary(&mut self, at: IpAddr) -> Result<()> {
        self.start_canary_at(SocketAddr::new(at, rules::DENY), SocketAddr::new(at, rules::CONTROL))
    }

    pub(crate) fn start_canary_at(&mut self, deny: SocketAddr, control: SocketAddr) -> Result<()> {
        self.canaries.push(Canary::start(&self.net, deny, control)?);
        Ok(())
    }

    /// Ends every canary.
    pub(crate) fn kill_canaries(&mut self) {
        self.canaries.clear();
    }

    /// Puts a table of rules in the node's.
    pub(crate) fn node(&self, text: &str) -> Result<()> {
        rules::apply(&self.net, Place::Node, self.family, text)
    }

    /// Lets the node change between two sets of rules until the scene ends.
    pub(crate) fn flap(&mut self, rules: [&str; 2], times: [Duration; 2]) -> Result<()> {
        let flapper = Flapper::new(&self.net, self.family, rules, times)?;
        self.keep(flapper);
        Ok(())
    }

    /// A round trip to the server takes that many milliseconds more.
    pub(crate) fn slow_down(&mut self, milliseconds: u64) -> Result<()> {
        let line = Line::new(&self.net, milliseconds)?;
        self.keep(line);
        Ok(())
    }

    /// The canary gets a name, which a name server answers for. Barrier and peers have no other names.
    pub(crate) fn name_canary(&mut self, answer: Answer) -> Result<()> {
        let at = self.family.server(53);
        let server = NameServer::new(&self.net, at, answer, 0)?;
        self.keep(server);
        self.resolve_with(at)?;
        self.set(CANARY_HOST, NAME);
        Ok(())
    }

    /// An empty root for the barrier: the program and the two files that name servers and hosts are in.
    pub(crate) fn resolve_with(&mut self, server: IpAddr) -> Result<()> {
        let root = self.folder.path().join("root");
        fs::create_dir_all(root.join("etc"))?;
        let program = root.join("ql3-ops");
        fs::copy(program::path(), &program)?;
        let (resolv, hosts) = (
            format!("nameserver {server}\noptions timeout:1 attempts:1\n"),
            "127.0.0.1 localhost\n::1 localhost\n",
        );
        let mut folders = vec![root.join("etc")];
        for place in [Place::Nc, Place::Any] {
            let folder = PathBuf::from("/etc/netns").join(self.net.name(place));
            fs::create_dir_all(&folder)?;
            folders.push(folder);
        }
        for folder in folders {
            fs::write(folder.join("resolv.conf"), &resolv)?;
            fs::write(folder.join("hosts"), hosts)?;
        }
        self.launch.root = Some(root);
        self.launch.program = "/ql3-ops".into();
        Ok(())
    }

    /// Runs the barrier in the Pod.
    pub(crate) fn barrier(&self) -> Result<Ended> {
        program::run(&self.net, Place::Pod, &self.barrier_launch(), self.patience())
    }

    pub(crate) fn barrier_launch(&self) -> Launch {
        let mut launch = self.launch.clone();
        let words = ["barrier", "--evidence", "full", "--deadline-seconds"].map(str::to_owned);
        launch.arguments.extend(words);
        launch.arguments.push(self.deadline.to_string());
        launch.arguments.extend(self.arguments.clone());
        launch.environment.clone_from(&self.environment);
        launch
    }

    /// Runs `barrier control` in the Pod that no policy selects; what it says goes into the environment.
    pub(crate) fn prove(&mut self) -> Result<String> {
        self.set(COMMAND, "{\"keyId\":\"key-2025\"}\n");
        self.set(NONCE, "0123456789abcdef0123456789abcdef");
        let mut launch = self.launch.clone();
        launch.arguments = ["barrier", "control", "--deadline-seconds", "2"].map(str::to_owned).to_vec();
        launch.environment.clone_from(&self.environment);
        let ended = program::run(&self.net, Place::Witness, &launch, self.patience())?;
        if ended.exit != Some(0) {
            return Err(format!("barrier control: {ended:?}").into());
        }
        let proof = ended.stdout.trim_end().to_owned();
        self.set(PROOF, &proof);
        Ok(proof)
    }

    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(self.deadline + 10)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// A `barrier canary`, killed when dropped.
pub(crate) struct Canary {
    child: Child,
}

impl Canary {
    fn start(net: &Spaces, deny: SocketAddr, control: SocketAddr) -> Result<Self> {
        let words = ["barrier", "canary", "--deny"].map(str::to_owned);
        let ports = [deny.to_string(), "--control".to_owned(), control.to_string()];
        let launch = Launch {
            program: program::path(),
            arguments: words.into_iter().chain(ports).collect(),
            ..Launch::default()
        };
        let mut canary = Self { child: program::spawn(net, Place::Server, &launch)? };
        let begun = Instant::now();
        for at in [deny, control] {
            while net.inside(Place::Server, || Ok(TcpStream::connect(at)?)).is_err() {
                if begun.elapsed() > PATIENCE || canary.child.try_wait()?.is_some() {
                    return Err(format!("no canary at {at}").into());
                }
                thread::sleep(Duration::from_millis(1));
            }
        }
        Ok(canary)
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        super::kill(self.pid(), Signal::KILL);
        drop(self.child.wait());
    }
}

pub(crate) const CANARY_HOST: &str = "QL3_NETWORK_POLICY_DENY_CANARY_HOST";
pub(crate) const CANARY_PORT: &str = "QL3_NETWORK_POLICY_DENY_CANARY_PORT";
pub(crate) const CONTROL_PORT: &str = "QL3_NETWORK_POLICY_CONTROL_PORT";
pub(crate) const PROOF: &str = "QL3_NETWORK_POLICY_CONTROL_PROOF";
pub(crate) const COMMAND: &str = "QL3_NETWORK_POLICY_COMMAND";
pub(crate) const NONCE: &str = "QL3_NETWORK_POLICY_NONCE";
pub(crate) const NAME: &str = "canary.test";
const PATIENCE: Duration = Duration::from_secs(5);
