#!/usr/bin/env bash
# build.sh {core | postgres | postgres-data}...: builds what the cache lacks; once, however many ask.
set -euo pipefail
. "$(dirname "$0")/place.sh"
mkdir -p "$cache"

if ! command -v openssl >/dev/null; then
  [ "$(id -u)" = 0 ] || { echo "missing: openssl; get it with: apt-get install openssl" >&2; exit 1; }
  echo "installing Debian's package openssl"
  apt-get -qq update && apt-get -qq install -y --no-install-recommends openssl
fi
for part in "$@"; do flock --close "$cache/$part.lock" "$here/$part-build.sh"; done
