"""What accuracy.sh runs: accuracy.py LBSP UDP_FLOW BED.

Each cell is measured several times, each time on a new bed of two hosts with a seed of its own.
Delay: ping, the mean round trip; half of what it is above the one asked for and the time two echo packets take at the rate.
Loss: udp_flow, at half the rate at most: datagrams sent and arrived. Wilson's interval for 99 % of all repeats together must
hold the loss asked for.
Rate: udp_flow offers 1.2 times the rate, so that the uplink's queue is what limits; what arrives between the first and the
last datagram of 1.5 s by the kernel's clock, over (1 - loss). TCP: iperf3, for comparison.
"""
import json
import math
import statistics
import subprocess
import sys
import time

LBSP, UDP_FLOW, BED = sys.argv[1:4]
REPEATS = 3
ROUND_TRIP = 0.040
MOST_DELAY_ERROR = 0.2e-3
MOST_RATE_ERROR = 0.02
LEAST_PACKETS = 150_000
ECHO_PAYLOAD = 56  # of ping's 84 bytes, as rates count
OFFERED = 1.2  # times the rate
LEAST_OFFERED = 1.05
DATAGRAM = {10: 200, 100: 724, 400: 1448}  # bytes: enough datagrams at every rate that chance losses do not blur it
QUEUE_SECONDS = 0.1  # of the rate: the sender may be off its processor for so long, and the queue does not run empty
WARM_UP = 0.5
RATE_SECONDS = 1.5
LOSS_SECONDS = 2
MOST_LOSS_RATE = 16  # Mbit/s, of datagrams of 200 bytes
failures = 0
seed = 0


def wan(command, *arguments):
    words = [LBSP, "wan", command, "--name", BED, *arguments]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"lbsp: {' '.join(words)} failed: try it by hand")
    return done.stdout


def on(host, *command):
    return wan("exec", host, "--", *command)


def start_on(host, *command):
    words = [LBSP, "wan", "exec", "--name", BED, host, "--", *command]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def up(network):
    global seed
    seed += 1
    wan("up", "-n", "2", "--seed", str(seed), "--wan", network)


def stats():
    return json.loads(wan("stats", "--over", "0", "--json", "-"))


def verdict(good):
    global failures
    failures += not good
    return "pass" if good else "FAIL"


def tcp_rate():
    """What iperf3 from h0 to h1 measures, in Mbit/s."""
    first = ["nice", "-n", "-15"]
    server = start_on("h1", *first, "iperf3", "-s", "-1")
    while "1451" not in on("h1", "cat", "/proc/net/tcp", "/proc/net/tcp6"):  # port 5201
        time.sleep(0.01)
    report = json.loads(on("h0", *first, "iperf3", "-c", "h1", "-t", "3", "-O", "1", "-J"))
    server.communicate()
    return report["end"]["sum_received"]["bits_per_second"] / 1e6


def udp_flow(datagram, megabits, seconds, skip=0, measured=60):
    """What udp_flow from h0 to h1 sends (datagrams, seconds), and what arrives (all its figures)."""
    receiver = start_on("h1", UDP_FLOW, "receive", "9", str(skip), str(measured))
    if receiver.stdout.readline() != "ready\n":
        sys.exit(receiver.communicate()[1].strip())
    sender = start_on("h0", UDP_FLOW, "send", "h1", "9", str(datagram), str(megabits), str(seconds))
    ends = [process.communicate() for process in (sender, receiver)]
    if not all(output for output, _ in ends):
        sys.exit((ends[0][1] or ends[1][1]).strip())
    return [[float(word) for word in output.split()] for output, _ in ends]


def measure_delay(rate):
    """The error of the mean one-way delay, in seconds."""
    summary = on("h0", "sh", "-c", "ping -q -i 0.003 -c 400 h1 || true").splitlines()[-1]
    mean = float(summary.split("=")[1].split("/")[1]) * 1e-3
    return (mean - ROUND_TRIP) / 2 - ECHO_PAYLOAD * 8 / rate


def measure_loss(rate):
    """Datagrams lost, and sent."""
    megabits = min(rate / 2e6, MOST_LOSS_RATE)
    (sent, _), (received, dropped, *_) = udp_flow(200, megabits, LOSS_SECONDS)
    return sent - received - dropped, sent


def measure_rate(loss, rate):
    """The relative error of the rate, what was offered over it, and how many datagrams the receiver was too slow for."""
    datagram = DATAGRAM[round(rate / 1e6)]
    (sent, sending), (_, dropped, _, arrived, seconds) = udp_flow(
        datagram, OFFERED * rate / 1e6, WARM_UP + RATE_SECONDS, WARM_UP, RATE_SECONDS)
    return arrived * 8 / seconds / (1 - loss) / rate - 1, sent * datagram * 8 / sending / rate, dropped


def wilson(lost, total, z=2.576):
    p = lost / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    return max(0.0, middle - half), middle + half


def spread(values, limit, digits, unit):
    """The mean, which must be within the limit, the least and the greatest."""
    mean = statistics.mean(values)
    return f"{mean:+.{digits}f} {unit} ({min(values):+.{digits}f} to {max(values):+.{digits}f}) {verdict(abs(mean) <= limit)}"


def loss_text(loss, counts):
    lost, total = (sum(column) for column in zip(*counts))
    low, high = wilson(lost, total)
    good = lost == 0 if loss == 0 else low <= loss <= high
    each = [100 * one_lost / one_total for one_lost, one_total in counts]
    return (f"{100 * lost / total:.3f} % [{100 * low:.3f}, {100 * high:.3f}] ({min(each):.3f} to {max(each):.3f}) "
            f"{verdict(good)}")


def rate_text(measured):
    if any(dropped > 0 for _, _, dropped in measured):
        return f"the receiver was too slow {verdict(False)}"
    slowest = min(offered for _, offered, _ in measured)
    if slowest < LEAST_OFFERED:
        return f"the sender was too slow: {100 * slowest:.0f} % of the rate {verdict(False)}"
    return spread([100 * error for error, _, _ in measured], 100 * MOST_RATE_ERROR, 2, "%")


def router_text(all_stats):
    kept_up = sum(one["kept_up"] for one in all_stats)
    lateness = [one["total"]["lateness"] for one in all_stats]
    mean = statistics.mean(one["mean"] for one in lateness)
    words = "kept up" if kept_up == len(all_stats) else f"did NOT keep up in {len(all_stats) - kept_up} repeats"
    return f"{words}, late by {mean * 1e6:.0f} us in the mean, {max(one['longest'] for one in lateness) * 1e3:.1f} ms at most"


def cell(loss, megabits):
    rate = megabits * 1e6
    queue = max(256 << 10, int(QUEUE_SECONDS * rate / 8))
    delays, losses, rates, all_stats = [], [], [], []
    tcp = "-"  # under losses it says more of TCP than of the bed
    for repeat in range(REPEATS):
        up(f"loss={loss},rtt={ROUND_TRIP * 1e3:g}ms,rate={megabits}Mbit,queue={queue}")
        delays.append(1e3 * measure_delay(rate))
        losses.append(measure_loss(rate))
        rates.append(measure_rate(loss, rate))
        if repeat == 0 and loss == 0:
            tcp = f"{tcp_rate():.1f} Mbit/s"
        all_stats.append(stats())
        wan("down")
    print(f"| {100 * loss:g} % | {megabits} Mbit/s | {spread(delays, 1e3 * MOST_DELAY_ERROR, 3, 'ms')} | "
          f"{loss_text(loss, losses)} | {rate_text(rates)} | {tcp} | {router_text(all_stats)} |", flush=True)


def overload():
    """Packets a second of one core, those not taken a second, and whether every one of them is in a count."""
    up("rtt=20ms")
    (sent, sending), _ = udp_flow(64, 0, WARM_UP + RATE_SECONDS)
    time.sleep(0.1)
    after = stats()
    wan("down")
    host = after["hosts"][0]
    counted = host["sent"]["offered"] + host["device_drops"] == sent
    return after["total"]["delivered"] / after["router"]["processor_seconds"], host["device_drops"] / sending, counted


def throughput():
    per_core, drops, counted = zip(*(overload() for _ in range(REPEATS)))
    print(f"\n64 bytes as fast as one process can, rtt=20ms: {statistics.mean(per_core):,.0f} packets per second of the "
          f"router's core ({min(per_core):,.0f} to {max(per_core):,.0f}), {LEAST_PACKETS:,} wanted: "
          f"{verdict(min(per_core) >= LEAST_PACKETS)}\n{statistics.mean(drops):,.0f} packets/s not taken; "
          f"all that were sent are taken or counted: {verdict(all(counted))}")


print(f"Mean of {REPEATS} repeats, in parentheses the least and the greatest, in brackets the interval of 99 %.\n")
print("| loss | rate | delay less 20 ms, within 0.2 ms | loss, in its interval | rate, within 2 % | TCP | the router |")
print("| --- | --- | --- | --- | --- | --- | --- |")
for a_loss in (0, 0.01, 0.1):
    for a_rate in (10, 100, 400):
        cell(a_loss, a_rate)
throughput()
sys.exit(1 if failures else 0)
