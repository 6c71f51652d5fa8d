#!/usr/bin/env bash
# credentials.sh: certificates and kubeconfigs of everything that talks to the API server, in the current folder.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/process.sh"
. "$here/certificates.sh"
. "$here/nodes/within.sh"
[ ! -e admin.kubeconfig ] || exit 0
umask 077

member() { # NAME SUBJECT SERVER
  certificate "$1" "$2" clientAuth
  kubeconfig "$1" "$3"
}

free_port >port
authority ca
account_keys
names=DNS:localhost,IP:127.0.0.1,IP:10.96.0.1,IP:$control
for name in kubernetes{,.default{,.svc{,.cluster.local}}}; do names+=,DNS:$name; done
certificate server /CN=kube-apiserver serverAuth "$names"
member kube-controller-manager /CN=system:kube-controller-manager https://127.0.0.1:6443
member kube-scheduler /CN=system:kube-scheduler https://127.0.0.1:6443
member kube-proxy /CN=system:kube-proxy "https://$control:6443"
member enforcer /CN=ql3:enforcer "https://$control:6443"
for node in "${nodes[@]}"; do
  certificate "$node" "/O=system:nodes/CN=system:node:$node" clientAuth,serverAuth "DNS:$node,IP:$(address "$node")"
  kubeconfig "$node" "https://$control:6443"
done
member admin /O=system:masters/CN=admin "https://127.0.0.1:$(<port)"
