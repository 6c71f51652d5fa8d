#!/usr/bin/env bash
# packages.sh: the Debian packages that nodes need and this machine lacks: installed when root, named when not.
set -euo pipefail

# command:package
needed=(containerd:containerd runc:runc iptables:iptables ipset:ipset ip:iproute2 jq:jq nsenter:util-linux)
missing=()
for pair in "${needed[@]}"; do command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}"); done
[ -x /usr/lib/cni/ptp ] || missing+=(containernetworking-plugins)
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" != 0 ]; then
  echo "missing: ${missing[*]}; get them with: apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing Debian packages: ${missing[*]}"

# The lab needs the programs. The service that Debian would start with containerd is not for it to start: not now
# (a machine that has a policy for that keeps it), and not at the next boot.
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm $policy' EXIT
  printf '#!/bin/sh\nexit 101\n' >$policy
  chmod 755 $policy
fi
apt-get -qq update
DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
if [[ " ${missing[*]} " = *" containerd "* ]] && command -v systemctl >/dev/null; then
  systemctl --quiet disable containerd 2>/dev/null || true
fi
