#!/usr/bin/env bash
# check.sh: proves with real Pods that the lab's nodes do what the live gate builds on. One line a proof, with the
# seconds from the Pod's creation to its end. Exits 1 at the first that fails; its namespace stays then.
set -euo pipefail
. "$(dirname "$0")/../place.sh"
. "$here/nodes/running.sh"
. "$here/nodes/within.sh"
export KUBECONFIG=$state/cluster/admin.kubeconfig
kubectl=("$core/kubectl" --namespace=lab-check)
read -r image < <("$here/nodes/import.sh" "$addons/probe.tar")

# pod NAME MEMORY LABELS NODE PROBE-ARGUMENT...
pod() {
  local name=$1 memory=$2 labels=$3 node=$4
  shift 4
  "${kubectl[@]}" create --filename=- >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: $name, labels: {$labels}}
spec:
  nodeName: "$node"
  restartPolicy: Never
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 0
  securityContext: {runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: probe
      image: $image
      imagePullPolicy: Never
      args: [$(printf '"%s",' "$@")]
      resources: {requests: {memory: $memory}, limits: {memory: $memory}}
      securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
YAML
}

failed() { # SENTENCE POD
  echo "not so: $1; the Pod $2 of namespace lab-check says: $words" >&2
  exit 1
}

how='{.status.phase} {.status.containerStatuses[0].state.terminated.reason} '
# proof SENTENCE PATTERN POD-ARGUMENT...: the Pod's end and its words match.
proof() {
  local sentence=$1 pattern=$2 name=$3 begin end
  begin=$(date +%s%N)
  pod "${@:3}"
  until end=$("${kubectl[@]}" get pod "$name" --output=jsonpath="$how") && [[ $end = @(Succeeded|Failed)* ]]; do
    [ $((($(date +%s%N) - begin) / 1000000000)) -lt 60 ] || break
  done
  words="$end $("${kubectl[@]}" logs "$name" 2>&1 | tr '\t\n' '  ')"
  [[ $words =~ $pattern ]] || failed "$sentence" "$name"
  printf '%6.1f s  %s\n' "$((($(date +%s%N) - begin) / 100000000))e-1" "$sentence"
}

"$core/kubectl" delete namespace lab-check --ignore-not-found >/dev/null
"$core/kubectl" create namespace lab-check >/dev/null
until "${kubectl[@]}" get serviceaccount default >/dev/null 2>&1; do sleep 0.05; done
"${kubectl[@]}" create --filename="$here/nodes/check.yaml" >/dev/null
mode=$("$here/nodes/enforcer.sh")
first=${nodes[0]} last=${nodes[-1]}

proof "a Pod is user 10001, without a capability, filtered, on a root that cannot be written" \
  'Uid: 10001 10001.*CapBnd: 0+ .*NoNewPrivs: 1.*Seccomp: 2 .*Root: .*read-only file system' who 32Mi "" "" who
proof "cluster DNS knows the API server" '\[10\.96\.0\.1\]' dns 32Mi "" "$last" \
  resolve kubernetes.default.svc.cluster.local
proof "a Pod without a policy reaches the public host and the API server, and nobody beyond" Succeeded free 32Mi \
  "" "$first" dial 10 "+$world:443" "+$world:5432" +10.96.0.1:443 -198.51.100.1:443
pod server 32Mi "role: server" "$first" serve :8080
proof "a Pod reaches another node's Pod by the name of its Service" Succeeded service 32Mi "" "$last" \
  dial 10 +server.lab-check.svc.cluster.local:80
policed=("+$world:5432" "-$world:443" -10.96.0.1:443)
for node in "${nodes[@]}"; do
  proof "on $node a policy leaves a Pod the one port that it names" Succeeded "policed-$node" 32Mi "policed: egress" \
    "$node" dial 10 "${policed[@]}"
  [ "$mode" = open ] || [[ $words != *"+$world:443 "* ]] ||
    failed "a closed enforcer does not let a new Pod through either" "policed-$node"
done
for limit in 32 16; do
  proof "$limit MiB are enough for what needs less" 'Succeeded' "eats-less-$limit" ${limit}Mi "" "" eat $((limit / 2))
  proof "$limit MiB are the limit" 'Failed OOMKilled' "eats-more-$limit" ${limit}Mi "" "" eat $((limit * 2))
done
"$core/kubectl" delete namespace lab-check --wait=false >/dev/null
