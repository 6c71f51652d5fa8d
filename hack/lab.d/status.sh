#!/usr/bin/env bash
# status.sh: says what runs; exits 0 if all of it does, 1 if not.
set -euo pipefail
. "$(dirname "$0")/place.sh"
. "$here/process.sh"

answer=0
for part in "${parts[@]}"; do
  name=${part#"$state"/}
  name=${name#cluster/} name=${name#postgres/}
  if alive "$part"; then
    printf '%-15s runs, pid %s\n' "$name" "$(pid "$part")"
  else
    printf '%-15s does not run\n' "$name"
    answer=1
  fi
done
exit $answer
