#!/usr/bin/env python3
"""Loss and round trips of datagrams that IP cuts into fragments, between all hosts of a bed at the same time: `lbsp
probe` first looks for the bandwidth, and gives a pair up of which too little comes through for that.

As a program, on one of the hosts, it sends to all others and echoes what comes:

    datagrams.py OWN_INDEX HOSTS BYTES COUNT SPACING_SECONDS BEGIN_TIME

and prints what it got, as JSON.
"""
import json
import os
import random
import socket
import struct
import subprocess
import sys
import time

PORT = 41000
REQUEST, REPLY = 0, 1
HEAD = struct.Struct("!BHd")  # kind, sender of the request, its time
SETTLING_SECONDS = 1.5
RATE = 0.75e6  # bytes a second of each host: a fifth of the slowest


def address(host):
    return f"198.18.0.{host + 1}", PORT


class Exchange:
    def __init__(self, own):
        self.own, self.sent, self.received, self.round_trips = own, {}, {}, {}
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind(address(own))

    def send(self, to, size):
        head = HEAD.pack(REQUEST, self.own, time.monotonic())
        self.socket.sendto(head + bytes(size - len(head)), address(to))
        self.sent[to] = self.sent.get(to, 0) + 1

    def take(self, patience):
        self.socket.settimeout(max(patience, 1e-4))
        try:
            datagram, (host, _) = self.socket.recvfrom(65536)
        except TimeoutError:
            return
        kind, sender, sent_at = HEAD.unpack_from(datagram)
        if kind == REQUEST:
            self.received[sender] = self.received.get(sender, 0) + 1
            self.socket.sendto(HEAD.pack(REPLY, sender, sent_at) + datagram[HEAD.size:], address(sender))
        else:
            self.round_trips.setdefault(int(host.split(".")[3]) - 1, []).append(time.monotonic() - sent_at)


def exchange(own, hosts, size, count, spacing, begin):
    """Every host sends at times of its own, in the mean one datagram in each spacing. One without a processor does not
    make up for it by a burst, which would fill its uplink's queue; it may take half as long again."""
    mine = Exchange(own)
    chance = random.Random(own)
    end = begin + 1.5 * count * (hosts - 1) * spacing
    for number in range(count * (hosts - 1)):
        due = begin + (number + chance.random()) * spacing
        while (left := due - time.time()) > 0:
            mine.take(left)
        begin += max(0.0, -left - spacing / 2)
        if time.time() > end:
            break
        mine.send((own + 1 + number % (hosts - 1)) % hosts, size)
    while (left := end + SETTLING_SECONDS - time.time()) > 0:
        mine.take(left)
    print(json.dumps({"sent": mine.sent, "received": mine.received, "round_trips": mine.round_trips}))


def wilson(lost, sent):
    """The 95 % interval of a fraction."""
    z, part = 1.96, lost / sent
    centre = (part + z * z / 2 / sent) / (1 + z * z / sent)
    half = z / (1 + z * z / sent) * (part * (1 - part) / sent + z * z / 4 / sent**2) ** 0.5
    return [max(0.0, centre - half), min(1.0, centre + half)]


def summaries(answers, size):
    """The hosts' answers as `lbsp probe` writes a profile's pairs, 0 for what is not known."""
    pairs = []
    for to, answer in enumerate(answers):
        for sender in range(len(answers)):
            count = answers[sender]["sent"].get(str(to), 0)
            if count == 0:
                continue
            lost = count - answer["received"].get(str(sender), 0)
            times = sorted(answers[sender]["round_trips"].get(str(to), [])) or [0]
            pairs.append({"from": sender, "to": to, "packet_size": size, "loss": lost / count,
                          "loss_interval": wilson(lost, count), "loss_sample": count, "bandwidth": 0,
                          "rtt": {"min": times[0], "median": times[len(times) // 2], "p99": times[-1]}})
    return pairs


def measure(bed, hosts, size, count):
    """The pairs of all hosts with datagrams of one size."""
    spacing = size / RATE
    begin = time.time() + 0.5 + 0.1 * hosts
    processes = []
    try:
        for host in range(hosts):
            words = [sys.executable, "-B", os.path.realpath(__file__), str(host), str(hosts), str(size), str(count),
                     f"{spacing:.6f}", f"{begin:.6f}"]
            processes.append(subprocess.Popen(bed.on(host, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                              stderr=subprocess.DEVNULL, text=True, start_new_session=True))
        limit = begin - time.time() + 1.5 * count * (hosts - 1) * spacing + SETTLING_SECONDS + 30
        answers = [process.communicate(timeout=limit)[0] for process in processes]
    except subprocess.TimeoutExpired:
        return []
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
    return summaries([json.loads(answer) for answer in answers], size) if all(answers) else []


if __name__ == "__main__":
    exchange(*map(int, sys.argv[1:5]), float(sys.argv[5]), float(sys.argv[6]))
