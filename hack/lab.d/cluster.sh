#!/usr/bin/env bash
# cluster.sh DIR: starts etcd and a kube-apiserver in DIR and waits until it is ready (4 s). No controllers:
# nothing finishes the deletion of a namespace, nothing writes a ConfigMap into a new one.
# In DIR: admin.kubeconfig, audit.log, etcd.log, kube-apiserver.log.
set -euo pipefail
. "$(dirname "$0")/place.sh"
. "$here/process.sh"
. "$here/certificates.sh"
dir=$(realpath -m "$1")
umask 077
mkdir -p "$dir"
cd "$dir"

if [ ! -e admin.kubeconfig ]; then
  free_port >port
  authority ca
  certificate server /CN=kube-apiserver serverAuth DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1
  certificate admin /O=system:masters/CN=admin clientAuth
  account_keys
  kubeconfig admin "https://127.0.0.1:$(<port)"
fi

. "$here/etcd.sh"
issuer=https://kubernetes.default.svc.cluster.local
alive ./kube-apiserver || start . kube-apiserver "$core/kube-apiserver" --etcd-servers=unix://etcd.sock \
  --bind-address=127.0.0.1 --secure-port="$(<port)" --advertise-address=127.0.0.1 \
  --endpoint-reconciler-type=none --service-cluster-ip-range=10.96.0.0/16 \
  --tls-cert-file=server.crt --tls-private-key-file=server.key \
  --client-ca-file=ca.crt --authorization-mode=Node,RBAC \
  --encryption-provider-config=encryption.yaml \
  --service-account-issuer=$issuer --service-account-signing-key-file=accounts.key \
  --service-account-key-file=accounts.pub \
  --audit-policy-file="$here/audit-policy.yaml" --audit-log-path=audit.log
await ./kube-apiserver 120 "$core/kubectl" --kubeconfig=admin.kubeconfig get --raw /readyz
