#!/usr/bin/env bash
# up.sh: builds what is not built, starts what does not run, waits until both answer.
set -euo pipefail
. "$(dirname "$0")/place.sh"
. "$here/process.sh"
umask 077

mkdir -p "$state"
exec 9>"$state/lock"
flock 9
running=0
for part in "${parts[@]}"; do ! alive "$part" || running=$((running + 1)); done
[ $running -lt ${#parts[@]} ] || { echo "lab $id is up" && exit; }

begin=$SECONDS
"$here/build.sh" postgres postgres-data core
[ $running -gt 0 ] || find "$state" -name '*.log' -delete
"$here/cluster.sh" "$state/cluster" &
"$here/postgres.sh" "$state/postgres" >/dev/null
wait $!

# People's tools: psql believes the lab's authority, kubectl keeps its notes about the lab inside the lab.
rm -rf "${state:?}/bin"
mkdir "$state/bin"
tool() { # NAME VARIABLE=VALUE PROGRAM
  printf '#!/bin/sh\n%s=%q exec %q "$@"\n' "${2%%=*}" "${2#*=}" "$3" >"$state/bin/$1"
  chmod +x "$state/bin/$1"
}
tool psql "PGSSLROOTCERT=$state/postgres/ca.crt" "$postgres/bin/psql"
tool kubectl "KUBECACHEDIR=$state/cluster/kubectl" "$core/kubectl"
echo "lab $id is up, after $((SECONDS - begin)) s; in a shell: eval \"\$(hack/lab env)\""
