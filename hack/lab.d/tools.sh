#!/usr/bin/env bash
# tools.sh: people's tools, for the PATH. psql believes the lab's authority, kubectl keeps its notes about the lab
# inside the lab.
set -euo pipefail
. "$(dirname "$0")/place.sh"

rm -rf "${state:?}/bin"
mkdir "$state/bin"
tool() { # NAME VARIABLE=VALUE PROGRAM
  printf '#!/bin/sh\n%s=%q exec %q "$@"\n' "${2%%=*}" "${2#*=}" "$3" >"$state/bin/$1"
  chmod +x "$state/bin/$1"
}
tool psql "PGSSLROOTCERT=$state/postgres/ca.crt" "$postgres/bin/psql"
tool kubectl "KUBECACHEDIR=$state/cluster/kubectl" "$core/kubectl"
