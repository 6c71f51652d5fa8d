# shellcheck shell=bash disable=SC2034
# How the parts of Kubernetes are linked: small, and knowing their version. Without that the server calls itself
# v0.0.0, and clients misjudge what it can do.

flags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  for set in gitVersion=v1.34.4 gitMajor=1 gitMinor=34 gitTreeState=clean gitCommit=unknown \
    buildDate=1970-01-01T00:00:00Z; do
    flags+=" -X $package.$set"
  done
done
