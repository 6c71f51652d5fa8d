# shellcheck shell=bash disable=SC2034,SC2154
# Names and addresses of the lab's network.

control=172.30.0.10     # the API server, port 6443
world=203.0.113.10      # the public host, a documentation address (RFC 5737)
services=10.96.0.0/16   # 10.96.0.1 is the API server, 10.96.0.10 the DNS server
pods=10.244.0.0/16      # a /24 of it on each node
address() { echo "172.30.0.1${1#node}"; }
range() { echo "10.244.${1#node}.0/24"; }

# within NAME COMMAND...: in the network namespace of that name. Not `ip netns exec`, which hides the control groups.
within() { nsenter --net="$run/net/$1" -- "${@:2}"; }
