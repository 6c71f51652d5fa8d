#!/usr/bin/env bash
# addons-build.sh: compiles what runs beside Kubernetes (CoreDNS, kube-router's policy controller, and our pause,
# probe and forward) into the cache, and packs those that run in Pods as images.
set -euo pipefail
umask 022 # others must be able to read what goes into an image
. "$(dirname "$0")/place.sh"
[ ! -d "$addons" ] || exit 0
command -v go >/dev/null || { echo "missing: Go 1.24 or newer (golang-go of Debian 13 will do)" >&2; exit 1; }
echo "CoreDNS and kube-router: compiling into $addons (2 min on two cores, once)"
work=$(mktemp -d "$cache/addons.XXXXXX")
trap 'rm -rf "$work"' EXIT

(cd "$here/../addons" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$work/" ./cmd/...)
for name in coredns pause probe; do
  mkdir "$work/root"
  cp "$work/$name" "$work/root/$name"
  "$here/pack.sh" "$work/root" "ql3.local/$name:1" "$work/$name.tar" 65532:65532 "/$name"
  rm -r "$work/root"
done
chmod 755 "$work"
mv "$work" "$addons"
