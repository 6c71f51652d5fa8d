# shellcheck shell=bash
# Throw-away certificates in the current folder; P-256 keys, so one takes milliseconds.

# authority NAME
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 3650 -subj "/CN=$1" \
    -keyout "$1.key" -out "$1.crt" -addext basicConstraints=critical,CA:TRUE \
    -addext keyUsage=critical,keyCertSign,cRLSign 2>>openssl.log
}

# certificate NAME SUBJECT USAGE [NAMES [FROM TO]]: signed by the authority `ca`. FROM and TO are what date(1)
# reads; `openssl x509` cannot set them before version 3.4, `openssl ca` can.
certificate() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj "$2" \
    -keyout "$1.key" -out "$1.csr" 2>>openssl.log
  : >"$1.index"
  cat >"$1.cnf" <<CNF
[ca]
default_ca = lab
[lab]
database = $1.index
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
organizationName = optional
commonName = supplied
[leaf]
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = $3
authorityKeyIdentifier = keyid
${4:+subjectAltName = $4}
CNF
  openssl ca -batch -notext -config "$1.cnf" -extensions leaf -cert ca.crt -keyfile ca.key \
    -in "$1.csr" -out "$1.crt" \
    -startdate "$(moment "${5:-1 hour ago}")" -enddate "$(moment "${6:-10 years}")" 2>>openssl.log
  rm "$1".{csr,cnf,index}* ./*.pem
}

# kubeconfig NAME SERVER: NAME.kubeconfig, with the certificate of that name.
kubeconfig() {
  cat >"$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: lab
contexts: [{name: lab, context: {cluster: lab, user: $1}}]
clusters:
  - name: lab
    cluster:
      server: $2
      certificate-authority-data: $(base64 -w0 ca.crt)
users:
  - name: $1
    user:
      client-certificate-data: $(base64 -w0 "$1.crt")
      client-key-data: $(base64 -w0 "$1.key")
YAML
}

# account_keys: what the API server signs service accounts' tokens with, and encrypts Secrets with.
account_keys() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out accounts.key
  openssl pkey -in accounts.key -pubout -out accounts.pub
  cat >encryption.yaml <<YAML
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers: [{secretbox: {keys: [{name: lab, secret: $(head -c 32 /dev/urandom | base64)}]}}]
YAML
}

moment() { date -u -d "$1" +%Y%m%d%H%M%SZ; }
