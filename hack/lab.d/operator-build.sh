#!/usr/bin/env bash
# operator-build.sh: compiles the CloudNativePG operator into the cache and packs it as an image, beside the
# manifest of its release. Both come from the Go module, which go.sum pins.
set -euo pipefail
umask 022 # others must be able to read what goes into an image
. "$(dirname "$0")/place.sh"
[ ! -d "$operator" ] || exit 0
command -v go >/dev/null || { echo "missing: Go 1.26 or newer" >&2; exit 1; }
echo "CloudNativePG: compiling the operator into $operator (2 min on two cores, once)"
work=$(mktemp -d "$cache/operator.XXXXXX")
trap 'rm -rf "$work"' EXIT
module=github.com/cloudnative-pg/cloudnative-pg

# Its place in the image is its own idea: it copies itself from there into the Pods of a database.
cd "$here/../operator"
CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" \
  -o "$work/root/operator/manager_$(dpkg --print-architecture)" $module/cmd/manager
ln -s "operator/manager_$(dpkg --print-architecture)" "$work/root/manager"
"$here/pack.sh" "$work/root" ql3.local/cloudnative-pg:1.30.0 "$work/operator.tar" 10001:10001 /manager
rm -r "$work/root"

# The very manifest that QingLong 3 locks.
install -m 644 "$(go list -m -f '{{.Dir}}' $module)/releases/cnpg-1.30.0.yaml" "$work/release.yaml"
sha256sum --quiet -c <<<"f8bede43fe4ee0d478c2355b204a36876b2ae4faac60f2a9452280b293da3b88  $work/release.yaml"
chmod 755 "$work"
mv "$work" "$operator"
