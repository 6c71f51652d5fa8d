//! A small network of namespaces: Pods, the node that forwards and enforces, the server behind it.
//!
//! ```text
//! pod, nc, any (selected), witness (not selected) ── node ── server
//! ```
//!
//! Nothing of it touches the machine's own network: each link is made within two of these namespaces. Addresses
//! are those of documentation (RFC 5737, RFC 3849). Dropping the network removes it.

use std::fmt::Write as _;
use std::fs;
use std::fs::File;
use std::io::Write as _;
use std::ops::Deref;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process;
use std::process::Command;
use std::process::Stdio;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;

use rustix::process::Pid;
use rustix::process::Signal;
use rustix::thread::LinkNameSpaceType;

use super::Result;

/// One namespace of the network.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    /// Where the barrier runs.
    Pod,
    /// Where `nc` runs, under the same rules.
    Nc,
    /// Where the accept-any-failure probe runs, under the same rules.
    Any,
    /// A Pod that no policy selects.
    Witness,
    /// Forwards, and enforces what rules it is given.
    Node,
    /// Has the API server's and the canaries' addresses.
    Server,
    /// Empty, until a long line to the server is wanted.
    Wire,
}

/// The network's namespaces, removed when dropped; each value has its own.
pub(crate) struct Net {
    spaces: Spaces,
}

/// The namespaces of a network, for threads beside it.
#[derive(Clone)]
pub(crate) struct Spaces {
    prefix: String,
}

impl Net {
    pub(crate) fn new() -> Result<Self> {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let net = Self { spaces: Spaces { prefix: format!("ql3-fence-{}-{number}", process::id()) } };
        let mut links = String::new();
        for place in Place::ALL {
            writeln!(links, "netns add {}", net.name(place))?;
        }
        let node = net.name(Place::Node);
        for (place, link) in LINKS {
            let far = net.name(*place);
            // Ends with the same index look like one device to the kernel, which then takes up to a second to
            // see that the link is up.
            writeln!(links, "link add eth0 index 100 netns {far} type veth peer name {link} netns {node}")?;
        }
        ip(&[], &links)?;
        for (place, link) in LINKS {
            net.ip(*place, &far_end(*place, link))?;
        }
        net.ip(Place::Node, &node_end())?;
        net.sysctl(Place::Node, "net/ipv4/ip_forward", "1")?;
        net.sysctl(Place::Node, "net/ipv6/conf/all/forwarding", "1")?;
        Ok(net)
    }

    /// For a thread beside the owner.
    pub(crate) fn clone_spaces(&self) -> Spaces {
        self.spaces.clone()
    }

    /// The server's link ends in the wire's namespace from now on, as `far`; the node's new one too, as `near`.
    pub(crate) fn put_wire_before_server(&self) -> Result<()> {
        let (node, wire) = (self.name(Place::Node), self.name(Place::Wire));
        self.ip(Place::Node, &format!("link set srv0 netns {wire} name far"))?;
        ip(&[], &format!("link add near index 100 netns {wire} type veth peer name srv0 netns {node}"))?;
        self.ip(Place::Wire, "link set far up\nlink set near up\n")?;
        self.ip(Place::Node, &format!("link set srv0 up\n{TO_SERVER}"))
    }
}

impl Spaces {
    /// The namespace as `ip netns` knows it.
    pub(crate) fn name(&self, place: Place) -> String {
        format!("{}-{}", self.prefix, place.word())
    }

    /// Runs lines of ip(8) in a namespace.
    pub(crate) fn ip(&self, place: Place, lines: &str) -> Result<()> {
        ip(&["-n", &self.name(place)], lines)
    }

    /// Selected Pods have IPv4 only, as in most clusters.
    pub(crate) fn without_v6(&self) -> Result<()> {
        for place in [Place::Pod, Place::Nc, Place::Any] {
            self.sysctl(place, "net/ipv6/conf/all/disable_ipv6", "1")?;
        }
        Ok(())
    }

    pub(crate) fn sysctl(&self, place: Place, name: &str, value: &str) -> Result<()> {
        let path = PathBuf::from("/proc/sys").join(name);
        self.inside(place, || Ok(fs::write(&path, value).map_err(|error| format!("{name}: {error}"))?))
    }

    /// Runs a function on a thread in the namespace. Sockets made and processes started there belong to it.
    pub(crate) fn inside<T: Send>(&self, place: Place, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let space = File::open(format!("/run/netns/{}", self.name(place)))?;
        thread::scope(|scope| {
            let thread = scope.spawn(move || -> Result<T> {
                let kind = Some(LinkNameSpaceType::Network);
                rustix::thread::move_into_link_name_space(space.as_fd(), kind)?;
                work()
            });
            thread.join().map_err(|_panic| "a thread in a namespace panicked")?
        })
    }
}

/// Removes what a run that was killed has left: its namespaces, and the processes in them.
pub(crate) fn sweep() -> Result<()> {
    let Ok(entries) = fs::read_dir("/run/netns") else { return Ok(()) };
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix("ql3-fence-").and_then(|rest| rest.split('-').next());
        if owner.is_none_or(|owner| PathBuf::from("/proc").join(owner).exists()) {
            continue;
        }
        let pids = Command::new("ip").args(["netns", "pids", &name]).output()?.stdout;
        for pid in String::from_utf8_lossy(&pids).split_whitespace() {
            if let Some(pid) = pid.parse().ok().and_then(Pid::from_raw) {
                super::kill(pid, Signal::KILL);
            }
        }
        ip(&[], &format!("netns del {name}\n"))?;
    }
    Ok(())
}

impl Deref for Net {
    type Target = Spaces;

    fn deref(&self) -> &Spaces {
        &self.spaces
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        let names = Place::ALL.map(|place| format!("netns del {}\n", self.name(place))).concat();
        if let Err(error) = ip(&["-force"], &names) {
            super::complain(&format!("namespaces of {} stay: {error}", self.prefix));
        }
        for place in Place::ALL {
            drop(fs::remove_dir_all(format!("/etc/netns/{}", self.name(place))));
        }
        // Only if nobody else needs it.
        drop(fs::remove_dir("/etc/netns"));
    }
}

impl Place {
    const ALL: [Self; 7] =
        [Self::Pod, Self::Nc, Self::Any, Self::Witness, Self::Node, Self::Server, Self::Wire];

    fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Nc => "nc",
            Self::Node => "node",
            Self::Pod => "pod",
            Self::Server => "server",
            Self::Wire => "wire",
            Self::Witness => "witness",
        }
    }
}

/// The far end of a link, which is a Pod's only link or the server's.
fn far_end(place: Place, link: &str) -> String {
    let mut lines = String::from("link set lo up\nlink set eth0 up\n");
    if place == Place::Server {
        for host in [10, 20, 21, 22, 53] {
            lines.extend([
                format!("addr add 203.0.113.{host}/24 dev eth0\n"),
                format!("addr add 2001:db8:0:113::{host}/64 dev eth0 nodad\n"),
            ]);
        }
        return lines + "route add default via 203.0.113.1\nroute add default via 2001:db8:0:113::1\n";
    }
    let index = pod_index(link);
    let base = index * 64;
    lines.extend([
        format!("addr add 192.0.2.{}/26 dev eth0\n", base + 2),
        format!("addr add 2001:db8:0:{}::2/64 dev eth0 nodad\n", index + 1),
        format!("route add default via 192.0.2.{}\n", base + 1),
        format!("route add default via 2001:db8:0:{}::1\n", index + 1),
    ]);
    lines
}

/// The node's ends.
fn node_end() -> String {
    let mut lines = String::from("link set lo up\n");
    for (place, link) in LINKS {
        if *place != Place::Server {
            let index = pod_index(link);
            lines.extend([
                format!("addr add 192.0.2.{}/26 dev {link}\n", index * 64 + 1),
                format!("addr add 2001:db8:0:{}::1/64 dev {link} nodad\n", index + 1),
                // Forwarding asks for neighbours from the link's own address, which the kernel gives only after a
                // while.
                format!("addr add fe80::1/64 dev {link} nodad\n"),
            ]);
        }
        lines.extend([format!("link set {link} up\n")]);
    }
    lines + TO_SERVER
}

fn pod_index(link: &str) -> usize {
    LINKS.iter().position(|(_place, name)| *name == link).unwrap_or_default()
}

fn ip(options: &[&str], lines: &str) -> Result<()> {
    let mut command = Command::new("ip");
    command.args(options).args(["-batch", "-"]);
    feed(&mut command, lines)
}

/// Runs a program with a text on stdin; its stderr is the error.
pub(crate) fn feed(command: &mut Command, text: &str) -> Result<()> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no pipe")?.write_all(text.as_bytes())?;
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(());
    }
    let name = command.get_program().to_string_lossy().into_owned();
    Err(format!("{name}: {}\n{text}", String::from_utf8_lossy(&output.stderr).trim()).into())
}

/// The node's name for each link. Those of selected Pods begin with `sel`: rules name them `sel+`.
const LINKS: &[(Place, &str)] = &[
    (Place::Pod, "sel0"),
    (Place::Nc, "sel1"),
    (Place::Any, "sel2"),
    (Place::Witness, "wit0"),
    (Place::Server, "srv0"),
];

/// The node's address on the server's link, and its way to everywhere else: a neighbour that takes packets and
/// never answers, as the Internet does for an address that nobody has.
const TO_SERVER: &str = "\
addr add 203.0.113.1/24 dev srv0
addr add 2001:db8:0:113::1/64 dev srv0 nodad
addr add fe80::1/64 dev srv0 nodad
neigh add 203.0.113.254 lladdr 02:00:00:00:00:fe dev srv0
neigh add 2001:db8:0:113::fe lladdr 02:00:00:00:00:fe dev srv0
route add default via 203.0.113.254
route add default via 2001:db8:0:113::fe
";

static COUNT: AtomicUsize = AtomicUsize::new(0);
