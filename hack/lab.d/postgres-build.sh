#!/usr/bin/env bash
# postgres-build.sh: unpacks Debian's PostgreSQL 18 into the cache. 15 s, 36 MB to fetch, no root.
#
# Debian's, because that is a whole PostgreSQL (psql, pg_basebackup) with a current OpenSSL. It is in forky;
# its C library is newer than a stable machine's, so each program is called through the loader it came with.
# The machine's apt is left alone. Signatures are checked, the age of the lists is not: mirrors lag.
set -euo pipefail
. "$(dirname "$0")/place.sh"
[ ! -d "$postgres" ] || exit 0
for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || { echo "missing: $tool; PostgreSQL 18 comes from Debian" >&2; exit 1; }
done
echo "PostgreSQL 18: unpacking Debian's packages into $postgres (15 s, once)"
work=$(mktemp -d "$cache/postgres.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{apt/lists/partial,apt/archives/partial,debs,root}
: >"$work/apt/status"

# shellcheck disable=SC2016  # the variable is apt's
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | sort -u | head -1)
cat >"$work/apt/forky.sources" <<SOURCES
Types: deb
URIs: ${mirror:?this machine names no Debian mirror}
Suites: forky
Components: main
Check-Valid-Until: no
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
cat >"$work/apt.conf" <<CONF
Dir::Etc::sourcelist "$work/apt/forky.sources";
Dir::Etc::sourceparts "-";
Dir::State "$work/apt";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt";
Acquire::Languages "none";
APT::Sandbox::User "";
APT::Install-Recommends "false";
CONF
export APT_CONFIG=$work/apt.conf
apt-get -qq update

# The programs and the libraries they may link to; no maintainer script runs, so nothing else is of use.
mapfile -t packages < <(apt-get -s install postgresql-18 | awk '/^Inst/ {print $2}' |
  grep -E '^(postgresql-18|postgresql-client-18|lib.*|zlib1g)$' | grep -vE '^lib(perl|pam-|apt|db5|gdbm)')
(cd "$work/debs" && apt-get -qq download "${packages[@]}")
for deb in "$work"/debs/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$work/root" --keep-directory-symlink \
    --exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./usr/share/locale --exclude='*/bitcode/*'
done

# PostgreSQL finds its files from where it is called: callers take the programs' place.
home=$work/root/usr/lib/postgresql/18
mv "$home/bin" "$home/programs"
mkdir "$home/bin"
for program in "$home"/programs/*; do
  cat >"$home/bin/${program##*/}" <<'CALLER'
#!/bin/sh
self=$(readlink -f "$0")
bin=${self%/*}
for libraries in "${bin%/postgresql/18/bin}"/*-linux-gnu; do :; done
for loader in "$libraries"/ld-linux*.so.?; do :; done
exec "$loader" --argv0 "$self" --library-path "$libraries" "${bin%/bin}/programs/${self##*/}" "$@"
CALLER
done
chmod 755 "$home"/bin/*
ln -s usr/lib/postgresql/18/bin "$work/root/bin"
mv "$work/root" "$postgres"
