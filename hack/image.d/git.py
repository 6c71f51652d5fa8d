"""What the image says about the commit that it was made from."""

import os
import shutil
import subprocess


def epoch(root):
    """The time of everything in the image: SOURCE_DATE_EPOCH, or the last commit's time, or 0 without a repository."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or _git(root, "log", "-1", "--format=%ct") or 0)


def revision(root):
    """QL3_REVISION, or the last commit, which is called dirty if there are changes on top of it."""
    said = _git(root, "rev-parse", "HEAD") + ("-dirty" if _git(root, "status", "--porcelain") else "")
    return os.environ.get("QL3_REVISION") or said or "unknown"


def _git(root, *arguments):
    if not shutil.which("git"):
        return ""
    said = subprocess.run(["git", *arguments], check=False, cwd=root, capture_output=True, text=True)
    return said.stdout.strip()
