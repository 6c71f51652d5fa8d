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

make_kubeconfig() {
  cat >admin.kubeconfig <<YAML
apiVersion: v1
kind: Config
current-context: lab
contexts: [{name: lab, context: {cluster: lab, user: admin}}]
clusters:
  - name: lab
    cluster:
      server: https://127.0.0.1:$(<port)
      certificate-authority-data: $(base64 -w0 ca.crt)
users:
  - name: admin
    user:
      client-certificate-data: $(base64 -w0 admin.crt)
      client-key-data: $(base64 -w0 admin.key)
YAML
}

make_encryption() {
  cat >encryption.yaml <<YAML
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers: [{secretbox: {keys: [{name: lab, secret: $(head -c 32 /dev/urandom | base64)}]}}]
YAML
}

if [ ! -e admin.kubeconfig ]; then
  free_port >port
  authority ca
  certificate server /CN=kube-apiserver serverAuth DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1
  certificate admin /O=system:masters/CN=admin clientAuth
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out accounts.key
  openssl pkey -in accounts.key -pubout -out accounts.pub
  make_encryption
  make_kubeconfig
fi

# Sockets, named relative to DIR because the name of one may have 107 bytes at most. etcd insists on
# advertising addresses in the shape of a port's; nobody dials them.
nobody=http://127.0.0.1:2379
alive ./etcd || start . etcd "$core/etcd" --data-dir=etcd --unsafe-no-fsync --log-level=warn \
  --listen-client-urls=unix://etcd.sock --advertise-client-urls=$nobody \
  --listen-peer-urls=unix://peers.sock --initial-advertise-peer-urls=$nobody --initial-cluster=default=$nobody
await ./etcd 60 test -S etcd.sock
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
