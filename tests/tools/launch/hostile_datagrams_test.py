#!/usr/bin/env python3
"""Random bytes, replayed and bit-flipped datagrams at the ranks' port while the main job runs: it must go on, be
verified, and count them as rejected.

    hostile_datagrams_test.py LBSP

It does so in a network of its own, where nothing else passes the loopback device. Exits with 77 (skipped) where it may
not make one, or not listen, which takes root.
"""
import ctypes
import fcntl
import json
import random
import socket
import struct
import subprocess
import sys
import time

RANKS = 4
RUN_LIMIT_SECONDS = 60
PORT = 7000
UDP, IP_HEADER, UDP_HEADER, ETHERNET_HEADER = 17, 20, 8, 14
CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1


def move_to_own_network():
    """With a loopback device alone. Raises PermissionError where that takes more rights."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))


def datagram_of(frame):
    """The payload of a frame that carries a datagram to the ranks' port, else None."""
    ip = frame[ETHERNET_HEADER:]
    if len(ip) < IP_HEADER + UDP_HEADER or ip[9] != UDP:
        return None
    to = int.from_bytes(ip[IP_HEADER + 2 : IP_HEADER + 4], "big")
    return ip[IP_HEADER + UDP_HEADER :] if to == PORT else None


def attack(process, sniffer):
    """Until the process ends: a little noise of its own, and most of what it sees once more, whole and damaged.

    Returns what was sent between the ranks' first datagram and their last: before, not all of them listen yet, and a
    process that has ended its job takes a while to leave.
    """
    attacker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sent = {"random": 0, "replayed": 0, "flipped": 0}
    sent_to_ranks = {}
    own = set()
    deadline = time.monotonic() + RUN_LIMIT_SECONDS
    random.seed(1)
    while process.poll() is None:
        if time.monotonic() > deadline:
            process.kill()
            sys.exit("the run did not end")
        noise = random.randbytes(random.randrange(1, 1400))
        own.add(noise)
        attacker.sendto(noise, ("127.0.0.1", PORT))
        sent["random"] += 1
        try:
            payload = datagram_of(sniffer.recv(65535))
        except (BlockingIOError, socket.timeout):
            continue
        if payload is None or len(payload) < 16 or payload in own:
            continue
        if not sent_to_ranks:
            sent = dict.fromkeys(sent, 0)
        flipped = bytearray(payload)
        flipped[random.randrange(len(flipped))] ^= 1 << random.randrange(8)
        for kind, datagram in (("replayed", payload), ("flipped", bytes(flipped))):
            own.add(datagram)
            attacker.sendto(datagram, ("127.0.0.1", PORT))
            sent[kind] += 1
        sent_to_ranks = dict(sent)
    return sent_to_ranks


def main():
    try:
        move_to_own_network()
        sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        sniffer.bind(("lo", 0))
    except PermissionError:
        print("skipped: a network of its own, and listening there, take root")
        sys.exit(77)
    sniffer.settimeout(0.05)
    command = [sys.argv[1], "run", "-n", str(RANKS), "--port", str(PORT), "--wan", "loss=5%,rtt=20ms,rate=20Mbit",
               "--json", "-", "--", "matmul", "--size", "700"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    sent = attack(process, sniffer)
    output = process.stdout.read().decode()
    report = json.loads(output[output.index("{"):])
    rejected = report["packets"]["rejected"]
    print(f"sent {sent}, rejected {rejected}, verified {report['verified']}, exit {process.returncode}")
    assert process.returncode == 0 and report["verified"] is True
    assert sent and min(sent.values()) > 50, "the attack hardly took place"
    # The attacker's last datagrams may come when the ranks listen no more.
    assert rejected > 0.8 * sum(sent.values())


if __name__ == "__main__":
    main()
