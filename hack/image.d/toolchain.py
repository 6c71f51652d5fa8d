"""What the Rust toolchain links into every binary: its standard library, musl and an unwinder."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from crates import TRIPLES


@dataclass(frozen=True)
class Part:
    name: str
    version: str
    licence: str

    @property
    def purl(self):
        return f"pkg:generic/{self.name}@{self.version}"


def parts(root, arch):
    about = _rustc(root, "-vV")
    version = dict(line.split(": ", 1) for line in about.splitlines() if ": " in line)
    libraries = Path(_rustc(root, "--print=target-libdir", f"--target={TRIPLES[arch]}")) / "self-contained"
    # The C library's own `__libc_version`.
    (musl,) = set(re.findall(rb"\b(1\.2\.\d+)\0", (libraries / "libc.a").read_bytes()))
    return [
        Part("libunwind", version["LLVM version"], "Apache-2.0 WITH LLVM-exception"),
        Part("musl", musl.decode(), "MIT"),
        Part("rust-std", version["release"], "MIT OR Apache-2.0"),
    ]


def notices(root):
    """What the toolchain and Debian's package of musl say about their licences: name in the image -> file."""
    documents = Path(_rustc(root, "--print=sysroot")) / "share/doc/rust"
    return {
        "libunwind.txt": documents / "licenses/LLVM-exception.txt",
        "musl.txt": Path("/usr/share/doc/musl-dev/copyright"),
        "rust-std.html": documents / "COPYRIGHT-library.html",
    }


def _rustc(root, *arguments):
    return subprocess.run(["rustc", *arguments], cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
