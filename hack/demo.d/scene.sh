# shellcheck shell=bash
# The demo's scene: a namespace with the keyring's Secret and an identity that may get and update it, a database
# with the ledger's tables, and $demo/env, which a shell can source. Made anew each time.

namespace=ql3-demo-$(date +%s)
demo=${XDG_STATE_HOME:-$HOME/.local/state}/ql3-ops/demo
rm -rf "$demo"
mkdir -p "$demo/bin"
chmod 700 "$demo"
ln -s "$PWD/target/x86_64-unknown-linux-musl/debug/ql3-ops" "$demo/bin/ql3-ops"

bold=$(tput bold 2>/dev/null || true) plain=$(tput sgr0 2>/dev/null || true)
tell() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# show COMMAND...: as it can be typed into a shell that has sourced $demo/env, and then its output.
# shellcheck disable=SC2016
show() {
  printf '\n$'
  for word in "$@"; do
    case $word in
      "${QL3_DEMO_DSN:-}") printf ' "$QL3_DEMO_DSN"' ;;
      "$demo"/*) printf ' $demo/%s' "${word#"$demo"/}" ;;
      *[!A-Za-z0-9_./:=@%+,-]*) printf ' %s' "${word@Q}" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  echo
  "$@"
}

# The identity: exactly get and update on the one Secret, and a token of one hour.
export KUBECONFIG=$QL3_LAB_KUBECONFIG
kubectl create namespace "$namespace" >/dev/null
kubectl -n "$namespace" apply -f - >/dev/null <<YAML
apiVersion: v1
kind: ServiceAccount
metadata: {name: ql3-prompt-output-key-retirement}
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ql3-prompt-output-key-retirement}
rules:
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: [ql3-prompt-output-keyring]
    verbs: [get, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ql3-prompt-output-key-retirement}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ql3-prompt-output-key-retirement}
subjects: [{kind: ServiceAccount, name: ql3-prompt-output-key-retirement, namespace: "$namespace"}]
YAML
cat >"$demo/kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: demo
contexts: [{name: demo, context: {cluster: lab, user: job}}]
clusters:
  - name: lab
    cluster:
      server: $(kubectl config view --minify -o 'jsonpath={.clusters[0].cluster.server}')
      certificate-authority-data: $(kubectl config view --minify --raw -o 'jsonpath={.clusters[0].cluster.certificate-authority-data}')
users: [{name: job, user: {token: "$(kubectl -n "$namespace" create token ql3-prompt-output-key-retirement)"}}]
YAML

# The Secret: an operator's rotation would have added key-2026. `create`, never `apply`: that would copy the keyring
# into an annotation.
material() { openssl rand -base64 32 | tr '+/' '-_' | tr -d '=\n'; }
printf '{"schema":"qinglong/plugin-package-prompt-output-file-keyring@v1","generation":1,"activeKeyId":"key-2026",%s\n' \
  "\"keys\":{\"key-2025\":\"$(material)\",\"key-2026\":\"$(material)\"},\"retirements\":{}}" >"$demo/keyring.json"
digest=$("$demo/bin/ql3-ops" keyring inspect --file "$demo/keyring.json" | sed 's/.*"catalogDigest":"\([0-9a-f]*\)".*/\1/')
kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Secret
type: Opaque
immutable: false
metadata:
  name: ql3-prompt-output-keyring
  namespace: $namespace
  labels: {app.kubernetes.io/managed-by: qinglong3, qinglong.io/prompt-output-keyring: v1}
  annotations:
    qinglong.io/prompt-output-keyring-generation: "1"
    qinglong.io/prompt-output-keyring-catalog-digest: $digest
data: {keyring.json: $(base64 -w0 "$demo/keyring.json")}
YAML
rm "$demo/keyring.json"

# The database: made by its owner, used by the maintenance role.
export QL3_DEMO_DSN="${QL3_LAB_DSN%/*}/ql3_demo?sslmode=require"
psql -q "$QL3_LAB_DSN" -c 'drop database if exists ql3_demo' -c 'create database ql3_demo owner ql3_migration' 2>/dev/null
cat >"$demo/env" <<ENV
export demo=$demo KUBECONFIG=$KUBECONFIG QL3_DEMO_DSN='$QL3_DEMO_DSN' PATH=$demo/bin:\$PATH
export QL3_POSTGRES_TLS_CA_FILE=$QL3_LAB_PG_CA QL3_POSTGRES_TLS_SERVERNAME=$QL3_LAB_PG_SERVERNAME
export QL3_POSTGRES_AI_MAINTENANCE_HOST=127.0.0.1 QL3_POSTGRES_AI_MAINTENANCE_PORT=$QL3_LAB_PG_PORT
export QL3_POSTGRES_AI_MAINTENANCE_DATABASE=ql3_demo QL3_POSTGRES_AI_MAINTENANCE_USER=ql3_ai_maintenance
export QL3_POSTGRES_AI_MAINTENANCE_PASSWORD_FILE=$QL3_LAB_MAINTENANCE_PASSWORD_FILE
ENV
# shellcheck source=/dev/null
. "$demo/env"
QL3_POSTGRES_MIGRATION_HOST=127.0.0.1 QL3_POSTGRES_MIGRATION_PORT=$QL3_LAB_PG_PORT \
  QL3_POSTGRES_MIGRATION_DATABASE=ql3_demo QL3_POSTGRES_MIGRATION_USER=ql3_migration \
  QL3_POSTGRES_MIGRATION_PASSWORD_FILE=$QL3_LAB_MIGRATION_PASSWORD_FILE ql3-ops ledger install >/dev/null
