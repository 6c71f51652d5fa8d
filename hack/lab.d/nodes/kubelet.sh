#!/usr/bin/env bash
# kubelet.sh NODE: starts the node's kubelet, kube-proxy and policy enforcer, beside its containerd.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/process.sh"
. "$here/nodes/group.sh"
. "$here/nodes/within.sh"
name=$1 dir=$state/$1 credentials=$state/cluster
umask 022

# The node's disk is the machine's: it is neither measured nor ever too full.
cat >"$dir/lib/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$(group "$name")
failSwapOn: false
localStorageCapacityIsolation: false
imageGCHighThresholdPercent: 100
evictionHard:
  memory.available: "0%"
  nodefs.available: "0%"
  nodefs.inodesFree: "0%"
  imagefs.available: "0%"
  imagefs.inodesFree: "0%"
resolvConf: ""
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $credentials/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $credentials/$name.crt
tlsPrivateKeyFile: $credentials/$name.key
volumePluginDir: /var/lib/kubelet/plugins
kubeAPIQPS: 100
kubeAPIBurst: 200
serializeImagePulls: false
YAML
member() { # NAME COMMAND...
  # shellcheck disable=SC2016  # the inner shell's variables
  alive "$dir/$1" || start "$dir" "$1" sh -c 'echo $$ >"$0" && exec "$@"' "$(daemons "$name")" \
    nsenter --net="$run/net/$name" --mount="/proc/$(pid "$dir/containerd")/ns/mnt" -- "${@:2}"
}
"$here/nodes/enforcer.sh" "$(<"$state/enforcer")" "$name"
member kubelet "$node_programs/kubelet" --config=/var/lib/kubelet.yaml --kubeconfig="$credentials/$name.kubeconfig" \
  --hostname-override="$name" --node-ip="$(address "$name")" --oom-score-adj=0
# The limits of connection tracking are the machine's and cannot be set from here.
member kube-proxy "$node_programs/kube-proxy" --kubeconfig="$credentials/kube-proxy.kubeconfig" --hostname-override="$name" \
  --proxy-mode=iptables --cluster-cidr="$pods" --iptables-min-sync-period=100ms --oom-score-adj=0 \
  --conntrack-max-per-core=0 --conntrack-min=0 --conntrack-tcp-timeout-established=0 \
  --conntrack-tcp-timeout-close-wait=0
await "$dir/kubelet" 60 "$core/kubectl" --kubeconfig="$credentials/admin.kubeconfig" get node "$name"
member enforcer "$addons/enforcer" --kubeconfig="$credentials/enforcer.kubeconfig" --hostname-override="$name" \
  --service-cluster-ip-range="$services" --iptables-sync-period=1m
await "$dir/enforcer" 60 within "$name" iptables --wait --list-rules KUBE-ROUTER-FORWARD
