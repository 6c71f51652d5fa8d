#!/usr/bin/env bash
# down.sh: stops the lab and removes its state; the logs stay until the next up.
set -euo pipefail
. "$(dirname "$0")/place.sh"
. "$here/process.sh"

[ -d "$state" ] || { echo "lab $id is down" && exit; }
exec 9>"$state/lock"
flock -n 9 || { echo "lab $id is being brought up" >&2 && exit 1; }
end "${parts[@]}"
[ ${#nodes[@]} = 0 ] || "$here/nodes/down.sh"
find "$state" ! -type d ! -name '*.log' ! -name lock -delete
find "$state" -type d -empty -delete
echo "lab $id is down"
