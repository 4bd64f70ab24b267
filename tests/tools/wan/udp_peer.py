"""A UDP echo service, and a client that counts what comes back from it.
  udp_peer.py echo PORT            answers every datagram; says "ready" first
  udp_peer.py probe HOST PORT N    sends N datagrams, 1 ms apart; prints how many came back, and the least and the median
                                   round trip in ms
  udp_peer.py flood HOST PORT N    sends N datagrams at once
  udp_peer.py trains HOST PORT N   sends N datagrams of 1000 bytes, 16 in each system call; prints the numbers of those that
                                   come back as they were
"""
import socket
import statistics
import struct
import sys
import time


def echo(port):
    service = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    service.bind(("", port))
    print("ready", flush=True)
    while True:
        datagram, peer = service.recvfrom(2048)
        service.sendto(datagram, peer)


def probe(host, port, count):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect((host, port))
    times = {}

    def collect(until):
        while (left := until - time.monotonic()) > 0:
            client.settimeout(left)
            try:
                number, sent = struct.unpack("id", client.recv(2048))
                times.setdefault(number, time.monotonic() - sent)
            except (TimeoutError, BlockingIOError):
                return

    for number in range(count):
        client.send(struct.pack("id", number, time.monotonic()))
        collect(time.monotonic() + 0.001)
    collect(time.monotonic() + 0.5)
    print(len(times), min(times.values(), default=0) * 1e3, statistics.median(times.values() or [0]) * 1e3)


def content(number):
    return struct.pack("i", number) + bytes((number * 7 + place) % 256 for place in range(996))


def trains(host, port, count):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect((host, port))
    udp_segment = 103  # Python has no name for it
    client.setsockopt(socket.IPPROTO_UDP, udp_segment, 1000)
    come = []
    client.settimeout(0.02)
    for first in range(0, count, 16):
        client.send(b"".join(content(number) for number in range(first, min(first + 16, count))))
        collect_whole(client, come)
    client.settimeout(0.5)
    collect_whole(client, come)
    print(*come)


def collect_whole(client, come):
    """Until nothing has come for a while."""
    try:
        while True:
            datagram = client.recv(2048)
            number, = struct.unpack_from("i", datagram)
            if datagram == content(number):
                come.append(number)
    except (TimeoutError, BlockingIOError):
        pass


def flood(host, port, count):
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    so_sndbufforce = 32  # all of them may wait in the device; Python has no name for it
    client.setsockopt(socket.SOL_SOCKET, so_sndbufforce, 64 << 20)
    for _ in range(count):
        client.sendto(bytes(64), (host, port))


if sys.argv[1] == "echo":
    echo(int(sys.argv[2]))
elif sys.argv[1] in ("flood", "trains"):
    {"flood": flood, "trains": trains}[sys.argv[1]](sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    probe(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
