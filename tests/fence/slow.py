"""slow.py MILLISECONDS ONE OTHER: carries frames between two interfaces, each so much later.

Not every kernel has netem. The virtio header goes along, so that the kernel finishes checksums that it left open.
"""

import heapq
import itertools
import select
import socket
import sys
import time

SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING, ETH_P_ALL = 263, 15, 23, 3

delay = float(sys.argv[1]) / 1000
ends = []
for name in sys.argv[2:4]:
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    end.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    end.bind((name, ETH_P_ALL))
    ends.append(end)
print("ready", flush=True)
order, waiting = itertools.count(), []
while True:
    pause = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    for end in select.select(ends, [], [], pause)[0]:
        frame = end.recv(70000)
        other = ends[1 - ends.index(end)]
        heapq.heappush(waiting, (time.monotonic() + delay, next(order), other, frame))
    while waiting and waiting[0][0] <= time.monotonic():
        _, _, other, frame = heapq.heappop(waiting)
        other.send(frame)
