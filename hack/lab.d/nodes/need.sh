#!/usr/bin/env bash
# need.sh: ends with what this machine lacks for nodes, and how to get it.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/nodes/group.sh"
lacks() { echo "a lab with nodes needs $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || lacks "root, for namespaces, mounts and control groups: try sudo; plain hack/lab up needs none"
for folder in "$state" "$cache" "$here"; do
  [[ $(realpath -m "$folder")/ != @(/run|/var/lib|/var/log)/* ]] ||
    lacks "its folders outside of /run, /var/lib and /var/log, where nodes have their own; inside is $folder:" \
      "move the checkout, or set XDG_STATE_HOME and XDG_CACHE_HOME"
done
"$here/packages.sh"
[ -d "$tracked" ] || lacks "control groups: mount -t cgroup2 none /sys/fs/cgroup"
for hierarchy in "${hierarchies[@]}"; do
  mkdir "$hierarchy/ql3-lab-try-$$" 2>/dev/null ||
    lacks "to make control groups: $hierarchy cannot be written; a container needs --privileged"
  rmdir "$hierarchy/ql3-lab-try-$$"
done
unshare --net --mount true 2>/dev/null || lacks "to make network and mount namespaces; a container needs --privileged"
grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null || lacks "overlayfs: modprobe overlay"
for match in "set --match-set lab src" "conntrack --ctstate NEW"; do
  # In a namespace of its own; the set exists for the moment.
  unshare --net sh -c "ipset create lab hash:net && iptables -A FORWARD -m $match -j REJECT" 2>/dev/null ||
    lacks "netfilter's sets and connection tracking: modprobe -a ip_set_hash_net xt_set xt_conntrack ipt_REJECT"
done
