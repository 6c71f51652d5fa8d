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
[ ${#nodes[@]} = 0 ] || exec "$here/nodes/up.sh" --nodes ${#nodes[@]}

begin=$SECONDS
"$here/build.sh" postgres postgres-data core
[ $running -gt 0 ] || find "$state" -name '*.log' -delete
"$here/cluster.sh" "$state/cluster" &
"$here/postgres.sh" "$state/postgres" >/dev/null
wait $!

"$here/tools.sh"
echo "lab $id is up, after $((SECONDS - begin)) s; in a shell: eval \"\$(hack/lab env)\""
