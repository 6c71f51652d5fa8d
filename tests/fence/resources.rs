//! What a barrier takes: memory, and time until its first packet.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::process;
use std::time::Duration;
use std::time::UNIX_EPOCH;

use super::Result;
use super::family::Family;
use super::program::Verdict;
use super::rules;
use super::say;
use super::scene::Scene;
use super::tally::Tally;

pub(crate) fn run() -> Result<Tally> {
    let mut tally = Tally::default();
    let peak = peak()?;
    let ok = tally.count(peak <= PEAK);
    say(&format!("peak memory {peak} KiB, {PEAK} are allowed: {ok}"));
    let (verdict, used) = in_a_cgroup()?;
    let ok = tally.count(verdict == Verdict::InForce);
    say(&format!("in a cgroup of 16 MiB: {}, {used} KiB used: {ok}", verdict.word()));
    let first = first_packet()?;
    say(&format!("start to first packet: p50 {:.1} ms of {STARTS}", first.as_secs_f64() * 1000.0));
    Ok(tally)
}

/// KiB. Under a policy that drops, because then the most dials are under way at once.
///
/// Of a copy, as an image's layer is unpacked: most of it are the program's pages, and of a file that a linker has just
/// written the kernel caches, and therefore maps, larger pieces.
fn peak() -> Result<u64> {
    let mut scene = Scene::new(Family::V4)?;
    let copy = scene.path("ql3-ops");
    fs::copy(&scene.launch.program, &copy)?;
    scene.launch.program = copy;
    scene.node(&rules::policy(scene.family, "-j DROP"))?;
    let file = scene.path("peak");
    scene.launch.peak = Some(file.clone());
    let ended = scene.barrier()?;
    if ended.verdict() != Verdict::InForce {
        return Err(format!("not in force: {ended:?}").into());
    }
    Ok(fs::read_to_string(&file)?.parse()?)
}

fn in_a_cgroup() -> Result<(Verdict, u64)> {
    let group = Group::new(16 << 20)?;
    let mut scene = Scene::new(Family::V4)?;
    scene.node(&rules::policy(scene.family, "-j DROP"))?;
    scene.launch.cgroup = Some(group.folder.join("cgroup.procs"));
    let ended = scene.barrier()?;
    Ok((ended.verdict(), group.used()? / 1024))
}

/// From just before the execve to the API server's first accept: what the start costs, and one packet's way.
fn first_packet() -> Result<Duration> {
    let mut times = Vec::new();
    for _start in 0..STARTS {
        let mut scene = Scene::new(Family::V4)?;
        let file = scene.path("started");
        scene.launch.started = Some(file.clone());
        scene.node(&rules::reject(scene.family))?;
        scene.barrier()?;
        let started = UNIX_EPOCH + Duration::from_micros(fs::read_to_string(&file)?.parse()?);
        let listener = scene.api.first().ok_or("no API server")?;
        let accepted = listener.first().ok_or("the API server was not dialled")?;
        times.push(accepted.duration_since(started)?);
    }
    times.sort();
    times.get(STARTS / 2).copied().ok_or_else(|| "no starts".into())
}

/// A child group with a limit on memory, of either version; removed when dropped.
struct Group {
    folder: PathBuf,
    peak: &'static str,
}

impl Group {
    fn new(limit: u64) -> Result<Self> {
        let own = fs::read_to_string("/proc/self/cgroup")?;
        let name = format!("ql3-fence-{}", process::id());
        let of = |controller: &str| {
            own.lines()
                .find_map(|line| line.split_once(controller))
                .map(|(_, path)| path.trim_start_matches('/'))
        };
        let (parent, file, peak) = if let Some(path) = of(":memory:") {
            let parent = Path::new("/sys/fs/cgroup/memory").join(path);
            (parent, "memory.limit_in_bytes", "memory.max_usage_in_bytes")
        } else {
            // A group with processes may not hand controllers down; the topmost one may.
            let own = Path::new("/sys/fs/cgroup").join(of("0::").unwrap_or_default());
            let parent = [own, "/sys/fs/cgroup".into()].into_iter().find(|folder| hands_down(folder));
            (parent.ok_or("no cgroup hands memory limits down")?, "memory.max", "memory.peak")
        };
        let group = Self { folder: parent.join(name), peak };
        fs::create_dir(&group.folder)?;
        fs::write(group.folder.join(file), limit.to_string())?;
        Ok(group)
    }

    /// Bytes, at most at one time.
    fn used(&self) -> Result<u64> {
        Ok(fs::read_to_string(self.folder.join(self.peak))?.trim().parse()?)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        drop(fs::remove_dir(&self.folder));
    }
}

fn hands_down(folder: &Path) -> bool {
    let control = folder.join("cgroup.subtree_control");
    let has = || fs::read_to_string(&control).is_ok_and(|text| text.contains("memory"));
    let writable = control.metadata().is_ok_and(|file| file.permissions().mode() & 0o200 != 0);
    has() || (writable && fs::write(&control, "+memory").is_ok() && has())
}

/// KiB.
const PEAK: u64 = 5 * 1024;
const STARTS: usize = 11;
