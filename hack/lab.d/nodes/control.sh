#!/usr/bin/env bash
# control.sh: etcd, kube-apiserver, controller manager and scheduler, and the way to the API server from this
# machine's loopback; waits until the API server is ready (5 s).
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/process.sh"
. "$here/nodes/within.sh"
cd "$state/cluster"
umask 077
member() { # NAME COMMAND...: started in the control plane's network, unless it runs
  alive "./$1" || start . "$1" nsenter --net="$run/net/control" -- "${@:2}"
}

. "$here/etcd.sh"
# Without aggregator routing the API server would dial webhooks by the addresses of their Services, which only
# nodes can. It cannot resolve nodes' names either.
member kube-apiserver "$core/kube-apiserver" --etcd-servers=unix://etcd.sock \
  --bind-address=0.0.0.0 --secure-port=6443 --advertise-address="$control" --service-cluster-ip-range="$services" \
  --tls-cert-file=server.crt --tls-private-key-file=server.key \
  --client-ca-file=ca.crt --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
  --kubelet-certificate-authority=ca.crt --kubelet-client-certificate=admin.crt --kubelet-client-key=admin.key \
  --kubelet-preferred-address-types=InternalIP --enable-aggregator-routing \
  --encryption-provider-config=encryption.yaml \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-account-signing-key-file=accounts.key --service-account-key-file=accounts.pub \
  --audit-policy-file="$here/audit-policy.yaml" --audit-log-path=audit.log
alive ./forward || start . forward "$addons/forward" "127.0.0.1:$(<port)" "$run/net/control" 127.0.0.1:6443
await ./kube-apiserver 120 "$core/kubectl" --kubeconfig=admin.kubeconfig get --raw /readyz

# Not before: until the API server has made their roles, both give up.
member kube-controller-manager "$node_programs/kube-controller-manager" --kubeconfig=kube-controller-manager.kubeconfig \
  --authentication-kubeconfig=kube-controller-manager.kubeconfig \
  --authorization-kubeconfig=kube-controller-manager.kubeconfig --bind-address=127.0.0.1 --leader-elect=false \
  --use-service-account-credentials --root-ca-file=ca.crt --service-account-private-key-file=accounts.key \
  --service-cluster-ip-range="$services" --kube-api-qps=200 --kube-api-burst=300
member kube-scheduler "$node_programs/kube-scheduler" --kubeconfig=kube-scheduler.kubeconfig \
  --authentication-kubeconfig=kube-scheduler.kubeconfig --authorization-kubeconfig=kube-scheduler.kubeconfig \
  --bind-address=127.0.0.1 --leader-elect=false --kube-api-qps=200 --kube-api-burst=300
