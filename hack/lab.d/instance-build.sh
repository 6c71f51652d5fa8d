#!/usr/bin/env bash
# instance-build.sh: packs the cached PostgreSQL 18 as the image that CloudNativePG's instances run.
set -euo pipefail
umask 022 # others must be able to read what goes into an image
. "$(dirname "$0")/place.sh"
[ ! -d "$instance" ] || exit 0
work=$(mktemp -d "$cache/instance.XXXXXX")
trap 'rm -rf "$work"' EXIT

# In an image the programs have their own C library where they expect it, and need no callers.
cp -a "$postgres" "$work/root"
chmod 755 "$work/root"
cd "$work/root"
programs=usr/lib/postgresql/18/bin
rm -r bin $programs
mv usr/lib/postgresql/18/programs $programs
for program in "$programs"/*; do ln -sf "../lib/postgresql/18/bin/${program##*/}" "usr/bin/${program##*/}"; done
for folder in bin lib lib64 sbin; do ln -s usr/$folder $folder; done
cp /bin/dash usr/bin/sh # initdb and archive_command go through it
mkdir -p tmp run dev proc sys var/lib/postgresql
chmod 1777 tmp run
printf '%s:x:%d:%d::/var/lib/postgresql:/bin/false\n' root 0 0 postgres 26 26 >etc/passwd
printf '%s:x:%d:\n' root 0 postgres 26 >etc/group

version=$("$postgres/bin/postgres" --version | sed 's/^postgres (PostgreSQL) \([0-9.]*\).*/\1/')
"$here/pack.sh" . "ql3.local/postgresql:$version" "$work/instance.tar" 26:26 "" "PATH=/usr/bin LANG=C.UTF-8"
echo "ql3.local/postgresql:$version" >"$work/name"
cd /
rm -r "$work/root"
chmod 755 "$work"
mv "$work" "$instance"
