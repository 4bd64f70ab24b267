"""What accuracy.sh runs: accuracy.py LBSP BED.

Each cell is a new bed of two hosts. Delay: ping, the mean round trip; half of what it is above the one asked for and the
time two echo packets take at the rate. Loss: iperf3, UDP at half the rate at most; Wilson's interval for 99 % must hold the
loss asked for. Rate: iperf3, UDP at 1.3 times the rate; what the receiving host's device has counted in 3 s, over
(1 - loss). Datagrams that the receiving socket had no room for (its kernel counts them) are not the network's loss.
"""
import json
import math
import subprocess
import sys
import time

LBSP, BED = sys.argv[1:3]
ROUND_TRIP = 0.040
MOST_DELAY_ERROR = 0.2e-3
MOST_RATE_ERROR = 0.02
LEAST_PACKETS = 150_000
ECHO_PAYLOAD = 56  # of ping's 84 bytes, as rates count
HEADERS = 28
failures = 0


def wan(command, *arguments):
    return subprocess.run([LBSP, "wan", command, "--name", BED, *arguments], check=True, capture_output=True, text=True).stdout


def on(host, *command):
    return wan("exec", host, "--", *command)


class UdpStream:
    """iperf3 from h0 to h1."""

    def __init__(self, seconds, *options):
        server = [LBSP, "wan", "exec", "--name", BED, "h1", "--", "iperf3", "-s", "-1"]
        self.server = subprocess.Popen(server, stdout=subprocess.DEVNULL)
        while "1451" not in on("h1", "cat", "/proc/net/tcp", "/proc/net/tcp6"):  # port 5201
            time.sleep(0.01)
        client = [LBSP, "wan", "exec", "--name", BED, "h0", "--", "iperf3", "-c", "h1", "-t", str(seconds), "-J", *options]
        self.client = subprocess.Popen(client, stdout=subprocess.PIPE, text=True)

    def end(self):
        report = json.loads(self.client.communicate()[0])
        self.server.wait()
        return report["end"]


def socket_drops():
    lines = [line.split() for line in on("h1", "cat", "/proc/net/snmp").splitlines() if line.startswith("Udp:")]
    return int(lines[1][lines[0].index("RcvbufErrors")])


def carried(host, sent):
    """Seconds, and bytes of payload that the host's device has sent or received."""
    for line in on(host, "cat", "/proc/net/dev").splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == "wan0":
            now = time.monotonic()
            total, packets = map(int, counts.split()[8:10] if sent else counts.split()[:2])
            return now, total - HEADERS * packets
    raise RuntimeError(f"{host} has no device")


def rate_between(before, after):
    return (after[1] - before[1]) * 8 / (after[0] - before[0])


def verdict(good):
    global failures
    failures += not good
    return "pass" if good else "FAIL"


def measure_delay(rate):
    summary = on("h0", "sh", "-c", "ping -q -i 0.003 -c 1000 h1 || true").splitlines()[-1]
    mean = float(summary.split("=")[1].split("/")[1]) * 1e-3
    error = (mean - ROUND_TRIP) / 2 - ECHO_PAYLOAD * 8 / rate
    return f"{error * 1e3:+.3f} ms {verdict(abs(error) <= MOST_DELAY_ERROR)}"


def wilson(lost, total, z=2.576):
    p = lost / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    return middle - half, middle + half


def measure_loss(loss, rate):
    before = socket_drops()
    end = UdpStream(5, "-u", "-l", "200", "-b", str(int(min(rate / 2, 16e6)))).end()["sum"]
    lost = end["lost_packets"] - (socket_drops() - before)
    low, high = wilson(lost, end["packets"])
    good = lost == 0 if loss == 0 else low <= loss <= high
    return f"{100 * lost / end['packets']:.3f} % [{100 * low:.3f}, {100 * high:.3f}] of {end['packets']} {verdict(good)}"


def measure_rate(loss, rate):
    stream = UdpStream(5, "-u", "-l", "1448", "-b", str(int(1.3 * rate)))
    time.sleep(1.2)
    before = carried("h0", True), carried("h1", False)
    time.sleep(3)
    after = carried("h0", True), carried("h1", False)
    stream.end()
    offered = rate_between(before[0], after[0])
    got = rate_between(before[1], after[1]) / (1 - loss)
    error = got / rate - 1
    if offered < 1.05 * rate:
        return f"{got / 1e6:.2f} of {offered / 1e6:.2f} Mbit/s: the sender is too slow {verdict(False)}"
    return f"{got / 1e6:.2f} Mbit/s ({100 * error:+.2f} %) {verdict(abs(error) <= MOST_RATE_ERROR)}"


def measure_tcp():
    end = UdpStream(4, "-O", "1").end()
    return f"{end['sum_received']['bits_per_second'] / 1e6:.1f} Mbit/s"


def kept_up():
    stats = json.loads(wan("stats", "--over", "0", "--json", "-"))
    lateness = stats["total"]["lateness"]
    words = "kept up" if stats["kept_up"] else f"did NOT keep up ({stats['device_drops']} drops)"
    return f"{words}, late by {lateness['mean'] * 1e6:.0f} us in the mean, {lateness['longest'] * 1e3:.1f} ms at most"


def cell(loss, megabits):
    rate = megabits * 1e6
    wan("up", "-n", "2", "--wan", f"loss={loss},rtt={ROUND_TRIP * 1e3:g}ms,rate={megabits}Mbit")
    print(f"| {100 * loss:g} % | {megabits} Mbit/s | {measure_delay(rate)} | {measure_loss(loss, rate)} | "
          f"{measure_rate(loss, rate)} | {measure_tcp()} | {kept_up()} |", flush=True)
    wan("down")


def throughput():
    wan("up", "-n", "2", "--wan", "rtt=20ms")
    stream = UdpStream(5, "-u", "-l", "64", "-b", "0")
    time.sleep(1)
    wan_before = json.loads(wan("stats", "--over", "0", "--json", "-"))
    began = time.monotonic()
    time.sleep(3)
    after = json.loads(wan("stats", "--over", "0", "--json", "-"))
    seconds = time.monotonic() - began
    stream.end()
    wan("down")
    moved = after["total"]["delivered"] - wan_before["total"]["delivered"]
    busy = after["router"]["processor_seconds"] - wan_before["router"]["processor_seconds"]
    drops = after["device_drops"] - wan_before["device_drops"]
    per_core = moved / busy
    print(f"\nOne iperf3 sending 64 bytes as fast as it can, rtt=20ms: {moved / seconds:,.0f} packets/s delivered, "
          f"{drops / seconds:,.0f}/s not taken; the router used {100 * busy / seconds:.0f} % of a core:\n"
          f"{per_core:,.0f} packets per second of one core, {LEAST_PACKETS:,} wanted: {verdict(per_core >= LEAST_PACKETS)}")


print("| loss | rate | mean delay - 20 ms, one way | loss measured [99 %] | rate measured | TCP goodput | the router |")
print("| --- | --- | --- | --- | --- | --- | --- |")
for a_loss in (0, 0.01, 0.1):
    for a_rate in (10, 100, 400):
        cell(a_loss, a_rate)
throughput()
sys.exit(1 if failures else 0)
