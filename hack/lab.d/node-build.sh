#!/usr/bin/env bash
# node-build.sh: compiles kubelet, kube-proxy, controller manager and scheduler into the cache. Most of what they
# are made of was compiled for the core lab; the rest is 500 packages and one link.
set -euo pipefail
. "$(dirname "$0")/place.sh"
. "$here/go-flags.sh"
[ ! -d "$node_programs" ] || exit 0
command -v go >/dev/null || { echo "missing: Go 1.24 or newer (golang-go of Debian 13 will do)" >&2; exit 1; }
echo "Kubernetes: compiling the nodes' parts into $node_programs (2 min on two cores, once)"
work=$(mktemp -d "$cache/node.XXXXXX")
trap 'rm -rf "$work"' EXIT

cd "$here/../cluster"
CGO_ENABLED=0 go build -trimpath -ldflags "$flags" -o "$work/node" ./cmd/node
for name in kube-controller-manager kube-scheduler kubelet kube-proxy; do ln -s node "$work/$name"; done
chmod 755 "$work"
mv "$work" "$node_programs"
