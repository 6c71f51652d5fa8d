"""What must hold of an image, whoever made it: each function names the faults that it finds."""

import gzip
import hashlib
import io
import json
import shutil
import struct
import subprocess
import tarfile
import tempfile
import zlib
from pathlib import Path

import crates

SOURCE = Path(__file__).resolve().parent.parent.parent
LARGEST = 5 << 20  # compressed: docs/performance.md
MODES = {"ql3-ops": 0o555, "sbom.cdx.json": 0o444, "licenses": 0o755}
LICENCES = {"LICENSE", "crates.txt", "libunwind.txt", "musl.txt", "rust-std.html"}


def image(layout, package, revision, arch):
    """Faults of the image in an OCI layout."""
    (top,) = json.loads((layout / "index.json").read_text())["manifests"]
    manifest = json.loads(_blob(layout, top))
    config = json.loads(_blob(layout, manifest["config"]))
    if len(manifest["layers"]) != 1:
        return [f"{len(manifest['layers'])} layers"]
    packed = _blob(layout, manifest["layers"][0])
    size = len(packed) + manifest["config"]["size"] + top["size"]
    print(f"{layout}: {size} bytes ({size / (1 << 20):.2f} MiB) compressed")
    faults = [] if size <= LARGEST else [f"{size} bytes, {LARGEST} are allowed"]
    tar = gzip.decompress(packed)
    if config["rootfs"]["diff_ids"] != ["sha256:" + hashlib.sha256(tar).hexdigest()]:
        faults.append("the layer is not the one that the configuration names")
    faults += configuration(config, package, revision, arch)
    with tarfile.open(fileobj=io.BytesIO(tar)) as entries, tempfile.TemporaryDirectory() as folder:
        faults += listing(entries)
        if faults:
            return faults
        root = Path(folder)
        # Owners and modes as in the layer.
        entries.extractall(root, numeric_owner=True, filter="fully_trusted")
        root.chmod(0o755)
        faults += contents(root, package, arch)
        faults += start(root, package, arch)
    return faults


def configuration(config, package, revision, arch):
    run = config["config"]
    label = "org.opencontainers.image."
    wanted = {
        "architecture": (config["architecture"], arch),
        "os": (config["os"], "linux"),
        "user": (run.get("User"), "10001:10001"),
        "entry point": (run.get("Entrypoint"), ["/ql3-ops"]),
        "command": (run.get("Cmd"), None),
        "volumes": (run.get("Volumes"), None),
        "ports": (run.get("ExposedPorts"), None),
        "title": (run["Labels"].get(label + "title"), "qinglong3-cluster-admin"),
        "description": (run["Labels"].get(label + "description"), package["description"]),
        "licence": (run["Labels"].get(label + "licenses"), package["license"]),
        "version": (run["Labels"].get(label + "version"), package["version"]),
        "revision": (run["Labels"].get(label + "revision"), revision),
    }
    return [f"{name}: {found!r}, wanted {right!r}" for name, (found, right) in wanted.items() if found != right]


def listing(entries):
    """One program, its bill of materials and licence texts; all of it root's, and nobody may write."""
    wanted = MODES | {f"licenses/{name}": 0o444 for name in LICENCES}
    faults = []
    for entry in entries:
        name = entry.name.strip("/")
        if not (entry.isfile() or entry.isdir()):
            faults.append(f"{name} is neither file nor folder")
        elif (entry.mode & 0o7777, entry.uid, entry.gid) != (wanted.get(name), 0, 0):
            faults.append(f"{name}: mode {entry.mode:o}, owner {entry.uid}:{entry.gid}")
        wanted.pop(name, None)
    return faults + [f"{name} is missing" for name in wanted]


def contents(root, package, arch):
    """The bill of materials is this binary's, lists what cargo says is linked, and the binary's own list has all of it."""
    binary = (root / "ql3-ops").read_bytes()
    bill = json.loads((root / "sbom.cdx.json").read_text())
    main = bill["metadata"]["component"]
    faults = []
    if main["version"] != package["version"] or main["hashes"][0]["content"] != hashlib.sha256(binary).hexdigest():
        faults.append("the bill of materials is another binary's")
    listed = {(part["name"], part["version"]) for part in bill["components"] if part["purl"].startswith("pkg:cargo/")}
    linked = set(crates.tree(SOURCE, arch)) - {(package["name"], package["version"])}
    if listed != linked:
        faults.append(f"the bill of materials and cargo differ: {sorted(listed ^ linked)}")
    embedded = _section(binary, b".dep-v0")
    if embedded is None:
        return [*faults, "the binary carries no list of its crates"]
    print(f"list of crates in the binary: {len(embedded)} bytes")
    # It has procedural macros too.
    carried = {(part["name"], part["version"]) for part in json.loads(zlib.decompress(embedded))["packages"]}
    return [*faults, *(f"the binary's list lacks {name} {version}" for name, version in sorted(listed - carried))]


def start(root, package, arch):
    """In that root and nothing else, as the image's user, without a capability and without a way to gain one."""
    program = ["/ql3-ops"]
    if arch == "arm64":
        shutil.copy(shutil.which("qemu-aarch64-static"), root / "emulator")
        program = ["/emulator", "/ql3-ops"]
    faults = []
    for line in _demoted("/", ["cat", "/proc/self/status"]).stdout.splitlines():
        if line.startswith(("CapPrm", "CapEff", "CapAmb")) and int(line.split()[1], 16):
            faults.append(f"a capability is left: {line}")
    version = f"ql3-ops {package['version']}\n"
    for arguments, code, said in [([], 64, ""), (["--help"], 0, "One-shot"), (["--version"], 0, version)]:
        ended = _demoted(root, [*program, *arguments])
        if ended.returncode != code or not ended.stdout.startswith(said):
            faults.append(f"{arguments}: exit {ended.returncode}, wanted {code}: {ended.stdout}{ended.stderr}")
    return faults


def _demoted(root, command):
    wrap = ["setpriv", "--no-new-privs", "chroot", "--userspec=10001:10001", "--groups=10001", root]
    path = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    return subprocess.run([*wrap, *command], check=False, capture_output=True, text=True, env=path)


def _blob(layout, descriptor):
    data = (layout / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
    if (len(data), "sha256:" + hashlib.sha256(data).hexdigest()) != (descriptor["size"], descriptor["digest"]):
        raise ValueError(f"{descriptor['digest']} is not what it says")
    return data


def _section(elf, name):
    """A section of a 64-bit little-endian ELF file, or None."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    width, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + width * row) for row in range(count)]
    for label, _, _, _, offset, size in headers:
        begin = headers[names][4] + label
        if elf[begin : elf.index(b"\0", begin)] == name:
            return elf[offset : offset + size]
    return None
