#!/usr/bin/env bash
# pack.sh FOLDER NAME:TAG ARCHIVE USER [ENTRYPOINT [ENVIRONMENT]]: packs a folder as an image of one layer, an OCI
# archive. No container engine, no registry; the same folder gives the same bytes. The layer is not compressed, so
# that an import has nothing to inflate.
set -euo pipefail
folder=$1 name=$2 archive=$(realpath -m "$3") user=$4 entrypoint=${5:-} environment=${6:-}
work=$(mktemp -d "$archive.XXXXXX")
trap 'rm -rf "$work"' EXIT
blobs=$work/blobs/sha256
mkdir -p "$blobs"
reproducible=(--format=gnu --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner)

# blob MEDIA-TYPE FILE: moves the file to where its digest says, and prints its descriptor.
blob() {
  local digest size
  digest=$(sha256sum <"$2" | cut -d' ' -f1) size=$(stat -c %s "$2")
  mv "$2" "$blobs/$digest"
  printf '{"mediaType":"application/vnd.oci.image.%s","digest":"sha256:%s","size":%d' "$1" "$digest" "$size"
}

tar -c "${reproducible[@]}" -C "$folder" -f "$work/layer" .
layer=$(blob layer.v1.tar "$work/layer")
diff=${layer##*\"sha256:} diff=sha256:${diff%%\"*}
printf '{"architecture":"%s","os":"linux","config":{"User":"%s"%s%s},"rootfs":{"type":"layers","diff_ids":["%s"]}}' \
  "$(dpkg --print-architecture)" "$user" "${entrypoint:+,\"Entrypoint\":[\"$entrypoint\"]}" \
  "${environment:+,\"Env\":[\"${environment// /\",\"}\"]}" "$diff" >"$work/config"
config=$(blob config.v1+json "$work/config")
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s},"layers":[%s}]}' \
  "$config" "$layer" >"$work/manifest"
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s,"annotations":{%s}}]}' \
  "$(blob manifest.v1+json "$work/manifest")" "\"io.containerd.image.name\":\"$name\"" >"$work/index.json"
echo '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
tar -c "${reproducible[@]}" -C "$work" -f "$archive" oci-layout index.json blobs
