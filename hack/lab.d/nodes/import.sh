#!/usr/bin/env bash
# import.sh [--node NODE] ARCHIVE...: puts images (OCI archives) into the containerd of every node, or of one. Each is
# found by its tag and as NAME@sha256:DIGEST; a Pod that uses it must not say imagePullPolicy: Always.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/nodes/running.sh"
if [ "$1" = --node ]; then nodes=("$2") && shift 2; fi

# The name is in an annotation: containerd's own, or the standard's where that holds a whole name.
name='.manifests[0] | .annotations["io.containerd.image.name"] // .annotations["org.opencontainers.image.ref.name"]'
for archive in "$@"; do
  index=$(tar -xOf "$archive" index.json 2>/dev/null) || { echo "no OCI archive: $archive" >&2; exit 65; }
  tag=$(jq -er "$name" <<<"$index") || { echo "$archive does not say what image it is" >&2; exit 65; }
  digest=$(jq -r '.manifests[0].digest' <<<"$index")
  [[ $tag =~ ^[^/@]+/[^@]+:[^/:@]+$ ]] || { echo "$archive: no name of an image with a tag: $tag" >&2; exit 65; }
  for node in "${nodes[@]}"; do
    images=(ctr --address "$run/$node/containerd/containerd.sock" --namespace k8s.io images)
    "${images[@]}" import --digests --base-name "${tag%:*}" "$archive" >/dev/null
    "${images[@]}" tag --force "${tag%:*}@$digest" "$tag" >/dev/null
  done
  echo "$tag@$digest"
done
