#!/usr/bin/env bash
# runtime.sh NODE: starts the node's containerd and gives it the images that the lab itself needs.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/process.sh"
. "$here/nodes/group.sh"
name=$1 dir=$state/$1
umask 022
whole=yes
for part in containerd kubelet kube-proxy enforcer; do alive "$dir/$part" || whole=no; done
[ $whole = no ] || exit 0
"$here/nodes/down.sh" "$name" # a node that lost a part starts anew: its parts share a room
mkdir -p "$dir"/{tunables,log,lib/cni/conf,lib/kubelet} "$run/$name"
make_group "$name"
. "$here/nodes/within.sh"

# The network of a Pod: a link of its own to the node, and routes. What Pods say to each other passes the node's
# rules, also on one node; on a bridge it would not.
cat >"$dir/lib/cni/conf/10-lab.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "lab", "plugins": [
  {"type": "ptp", "ipMasq": false, "mtu": 1500, "ipam": {"type": "host-local",
    "ranges": [[{"subnet": "$(range "$name")"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
JSON
# A root without CAP_SYS_RESOURCE cannot lower oom_score_adj, and runc dies of trying.
cat >"$dir/lib/containerd.toml" <<TOML
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "ql3.local/pause:1"
  disable_apparmor = true
  restrict_oom_score_adj = true
  enable_unprivileged_ports = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/var/lib/cni/conf"
TOML
start "$dir" containerd nsenter --net="$run/net/$name" -- unshare --mount -- \
  "$here/nodes/room.sh" "$name" containerd --config /var/lib/containerd.toml
await "$dir/containerd" 30 ctr --address "$run/$name/containerd/containerd.sock" version
"$here/nodes/import.sh" --node "$name" "$addons"/{pause,coredns}.tar
