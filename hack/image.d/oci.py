"""An OCI image of one layer, as a layout and as an archive; the same input makes the same bytes.

Formats: OCI image-spec 1.1 (image layout, manifest, config, layer).
"""

import hashlib
import io
import json
import tarfile
import zlib
from pathlib import Path

LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


def layer(rootfs, epoch):
    """A tar of a folder: everything belongs to root, names in order, times as given, modes as on the disk."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(rootfs.rglob("*")):
            entry = _entry(path.relative_to(rootfs), epoch, path.stat().st_mode & 0o7777)
            if path.is_dir():
                entry.type = tarfile.DIRTYPE
                tar.addfile(entry)
            else:
                _add(tar, entry, path.read_bytes())
    return made.getvalue()


def layout(tar, config, names):
    """The files of the layout, in order, and the manifest's digest. `config` still lacks its root file system."""
    blobs = {}

    def blob(media, data):
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = data
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(data)}

    # zlib writes the gzip header: no name, no time.
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = blob(LAYER, packer.compress(tar) + packer.flush())
    rootfs = {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest()]}
    described = blob(CONFIG, _json({**config, "rootfs": rootfs}))
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": described, "layers": [packed]}
    top = blob(MANIFEST, _json(manifest))
    top["platform"] = {"architecture": config["architecture"], "os": config["os"]}
    top["annotations"] = names
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [top]}
    files = {"oci-layout": _json({"imageLayoutVersion": "1.0.0"}), "index.json": _json(index), **blobs}
    return files, top["digest"]


def archive(files, name, epoch):
    """The layout in a tar, with the one file more that an older `docker load` wants."""
    manifest = json.loads(files[_path(json.loads(files["index.json"])["manifests"][0])])
    docker = [{"Config": _path(manifest["config"]), "RepoTags": [name], "Layers": [_path(manifest["layers"][0])]}]
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, data in {**files, "manifest.json": _json(docker)}.items():
            _add(tar, _entry(Path(path), epoch, 0o644), data)
    return made.getvalue()


def _path(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


def _json(value):
    return json.dumps(value, separators=(",", ":")).encode()


def _entry(path, epoch, mode):
    entry = tarfile.TarInfo(str(path))
    entry.mode, entry.mtime = mode, epoch
    return entry


def _add(tar, entry, data):
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))
