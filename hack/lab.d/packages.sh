#!/usr/bin/env bash
# packages.sh: the Debian packages that nodes need and this machine lacks: installed when root, named when not.
set -euo pipefail

had=$(command -v containerd || true) # nothing, where it is not there yet
"$(dirname "$(realpath "$0")")/../debian" containerd:containerd runc:runc iptables:iptables ipset:ipset ip:iproute2 jq:jq \
  nsenter:util-linux /usr/lib/cni/ptp:containernetworking-plugins

# containerd's service was not started, and shall not be at the next boot.
if [ -z "$had" ] && command -v systemctl >/dev/null && ! systemctl --quiet disable containerd 2>/dev/null; then
  echo "containerd's service could not be disabled: it may start at the next boot" >&2
fi
