#!/usr/bin/env bash
# down.sh [NODE...]: ends what is left of the nodes and removes what they kept. Without names: of all, and the
# networks with them.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/process.sh"
. "$here/nodes/group.sh"
wanted=("$@")
[ $# -gt 0 ] || wanted=("${nodes[@]}")
for node in "${wanted[@]}"; do
  end "$state/$node"/{kubelet,kube-proxy,enforcer,containerd}
  end_group "$node"
  # Its mounts ended with its last process.
  rm -rf --one-file-system "${state:?}/$node"/{lib,log,tunables} "${run:?}/$node"
done
[ $# = 0 ] || exit 0 # the node will come back, to its volumes
for node in "${nodes[@]}"; do rm -rf --one-file-system "${state:?}/$node/volumes"; done
for namespace in "$run"/net/*; do ! mountpoint -q "$namespace" || umount "$namespace"; done
rm -rf --one-file-system "$run"
rmdir --ignore-fail-on-non-empty "${run%/*}"
