# shellcheck shell=bash disable=SC2154
# etcd, in the current folder, on sockets: they are named relative to it because the name of one may have 107 bytes
# at most, and reach across network namespaces. etcd insists on advertising addresses in the shape of a port's;
# nobody dials them.

nobody=http://127.0.0.1:2379
alive ./etcd || start . etcd "$core/etcd" --data-dir=etcd --unsafe-no-fsync --log-level=warn \
  --listen-client-urls=unix://etcd.sock --advertise-client-urls=$nobody \
  --listen-peer-urls=unix://peers.sock --initial-advertise-peer-urls=$nobody --initial-cluster=default=$nobody
await ./etcd 60 test -S etcd.sock
