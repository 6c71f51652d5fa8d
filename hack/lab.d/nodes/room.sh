#!/usr/bin/env bash
# room.sh NODE COMMAND...: runs COMMAND as the node's first process, in the mount namespace that it is called in.
# What a node writes below /run, /var/lib and /var/log is the node's own; its mounts end with its processes.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/nodes/group.sh"
name=$1
echo $$ >"$(daemons "$name")"

# The kubelet sets these of the machine, for good. Here it finds them set.
tunables=$state/$name/tunables
while read -r tunable value; do
  echo "$value" >"$tunables/${tunable##*/}"
  mount --bind "$tunables/${tunable##*/}" "/proc/sys/$tunable"
done <<TUNABLES
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
TUNABLES
mount --bind "$state/$name/log" /var/log
mount --bind "$state/$name/lib" /var/lib
mount --bind "$run/$name" /run
mount --make-rshared / # so that a container may see what is mounted later
exec "${@:2}"
