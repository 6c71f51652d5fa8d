#!/usr/bin/env bash
# status.sh: says what runs; exits 0 if all of it does, 1 if not.
set -euo pipefail
. "$(dirname "$0")/place.sh"
. "$here/process.sh"

answer=0
for part in "${parts[@]}"; do
  if alive "$part"; then
    printf '%-15s runs, pid %s\n' "${part##*/}" "$(pid "$part")"
  else
    printf '%-15s does not run\n' "${part##*/}"
    answer=1
  fi
done
exit $answer
