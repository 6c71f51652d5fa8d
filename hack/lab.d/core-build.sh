#!/usr/bin/env bash
# core-build.sh: compiles etcd, kube-apiserver and kubectl into the cache. Nine minutes on two cores; Go keeps
# what it compiled, so after an edit of main.go it links anew in a quarter of a minute.
set -euo pipefail
. "$(dirname "$0")/place.sh"
[ ! -d "$core" ] || exit 0
command -v go >/dev/null || { echo "missing: Go 1.24 or newer (golang-go of Debian 13 will do)" >&2; exit 1; }
echo "Kubernetes: compiling etcd, kube-apiserver and kubectl into $core (9 min on two cores, once)"
work=$(mktemp -d "$cache/core.XXXXXX")
trap 'rm -rf "$work"' EXIT

. "$here/go-flags.sh"
cd "$here/../cluster"
CGO_ENABLED=0 go build -trimpath -ldflags "$flags" -o "$work/core" ./cmd/core
for name in etcd kube-apiserver kubectl; do ln -s core "$work/$name"; done
chmod 755 "$work"
mv "$work" "$core"
