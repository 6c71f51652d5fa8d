"""The crates that are in the binary: what `cargo metadata` resolves, less what only tests, build scripts and compilers run."""

import json
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

TRIPLES = {"amd64": "x86_64-unknown-linux-musl", "arm64": "aarch64-unknown-linux-musl"}


@dataclass(frozen=True)
class Crate:
    name: str
    version: str
    licence: str  # an SPDX expression
    checksum: str | None  # SHA-256 of the package, as Cargo.lock has it; none for our own
    folder: Path
    needs: tuple[str, ...]  # purls

    @property
    def purl(self):
        return f"pkg:cargo/{self.name}@{self.version}"


def linked(root, arch):
    """Our own crate, and the others in order of name and version."""
    command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={TRIPLES[arch]}"]
    said = json.loads(subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in said["packages"]}
    nodes = {node["id"]: node for node in said["resolve"]["nodes"]}

    def needs(identity):
        """Normal dependencies; a procedural macro runs in the compiler."""
        for dependency in nodes[identity]["deps"]:
            targets = packages[dependency["pkg"]]["targets"]
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if normal and not any("proc-macro" in target["kind"] for target in targets):
                yield dependency["pkg"]

    ours = said["resolve"]["root"]
    found, waiting = set(), [ours]
    while waiting:
        identity = waiting.pop()
        if identity not in found:
            found.add(identity)
            waiting.extend(needs(identity))

    lock = tomllib.loads((root / "Cargo.lock").read_text())
    checksums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in lock["package"]}

    def crate(identity):
        package = packages[identity]
        name, version = package["name"], package["version"]
        below = sorted(f"pkg:cargo/{packages[need]['name']}@{packages[need]['version']}" for need in needs(identity))
        # Before SPDX expressions, crates wrote "MIT/Apache-2.0".
        licence = " OR ".join(part.strip() for part in package["license"].split("/"))
        folder = Path(package["manifest_path"]).parent
        return Crate(name, version, licence, checksums[name, version], folder, tuple(below))

    others = [crate(identity) for identity in found - {ours}]
    return crate(ours), sorted(others, key=lambda other: (other.name, other.version))


def tree(root, arch):
    """Name and version of the same crates and of ours, as `cargo tree` sees them: features as a build unifies them."""
    command = ["cargo", "tree", "--locked", f"--target={TRIPLES[arch]}", "--edges=normal,no-proc-macro"]
    command += ["--prefix=none", "--format={p}"]
    said = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in said.splitlines():
        name, version, *_ = line.split()
        yield name, version.removeprefix("v")
