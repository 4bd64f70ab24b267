"""A job of the soak, drawn from its seed: what is run, what is done to it, how it must end, and by when."""
import math
import random
from dataclasses import dataclass, field

FIRST_RANKS = {"matmul": (1, 4, 9), "bitonic_sort": (1, 2, 4, 8), "fft2d": range(1, 10), "jacobi": range(1, 10)}
PEER_TIMEOUT_SECONDS = 15
# What is not the network's: starting, computing, verifying, on a machine that does other things too.
FIXED_SECONDS = 45
# How many times longer than reckoned a job may take.
PATIENCE = 2
# After so many without success, a job gives up.
MOST_WHOLE_ROUNDS = 500
# Of a datagram, the IP and UDP headers too.
HEADER_BYTES = 102


@dataclass
class Network:
    loss: float = 0  # what is corrupted is lost too
    rtt_seconds: float = 0
    jitter_seconds: float = 0
    burst: float = 1
    bytes_per_second: float = 125e6
    words: list = field(default_factory=list)


@dataclass
class Event:
    """What is done to the job while it runs."""

    kind: str  # "kill": one rank; "stop": some ranks, and continued
    after_seconds: float
    ranks: list
    for_seconds: float = 0


@dataclass
class Job:
    arguments: list
    program: str
    ranks: int
    bound_seconds: float
    event: Event | None
    whole_rounds: bool  # may never succeed; then the job says so


def log_uniform(source, least, most):
    return math.exp(source.uniform(math.log(least), math.log(most)))


def draw_network(source):
    network = Network()

    def maybe(chance, word, value):
        if source.random() < chance:
            network.words.append(f"{word}={value()}")

    if source.random() < 0.75:
        network.loss = source.choice([0.001, 0.01, 0.05, 0.1, 0.2, 0.3]) * source.uniform(0.5, 1)
        network.words.append(f"loss={100 * network.loss:.3g}%")
        if source.random() < 0.3:
            network.burst = source.uniform(1 / (1 - network.loss), 8)
            network.words.append(f"burst={network.burst:.3g}")
    if source.random() < 0.75:
        network.rtt_seconds = log_uniform(source, 0.0005, 0.3)
        network.words.append(f"rtt={1000 * network.rtt_seconds:.3g}ms")
        if source.random() < 0.4:
            network.jitter_seconds = source.uniform(0, network.rtt_seconds / 2)
            network.words.append(f"jitter={1000 * network.jitter_seconds:.3g}ms")
    if source.random() < 0.7:
        network.bytes_per_second = log_uniform(source, 12.5e3, 125e6)
        network.words.append(f"rate={network.bytes_per_second * 8e-3:.0f}kbit")
        maybe(0.4, "queue", lambda: f"{int(log_uniform(source, 16, 1024))}KiB")
    maybe(0.2, "reorder", lambda: f"{source.uniform(0, 20):.3g}%")
    maybe(0.2, "duplicate", lambda: f"{source.choice([1, 10, 50])}%")
    if source.random() < 0.2:
        corrupt = source.uniform(0, 0.03)
        network.words.append(f"corrupt={100 * corrupt:.3g}%")
        network.loss = 1 - (1 - network.loss) * (1 - corrupt)
    return network


def draw_rate(source, network):
    """A rate for the ranks: without one they keep to the network's, or send at 1 Gbit/s where that has none."""
    if source.random() < 0.7:
        return []
    rate = log_uniform(source, 12.5e3, 125e6)
    if any(word.startswith("rate=") for word in network.words):
        rate = max(12.5e3, network.bytes_per_second * source.uniform(0.3, 1.3))
    network.bytes_per_second = min(network.bytes_per_second, rate)
    return ["--rate", f"{rate * 8e-3:.0f}kbit"]


@dataclass
class Work:
    words: list
    bytes: float  # that pass through the busiest host, with what verification sends
    supersteps: float


def draw_work(source, program, ranks, most_bytes):
    """A size such that about `most_bytes`, or fewer, pass through the busiest host."""
    volume = log_uniform(source, most_bytes / 100, most_bytes)
    if program == "bitonic_sort":
        levels = math.log2(ranks)
        size = max(1, int(volume / 8 / (levels * (levels + 1) / 2 / ranks + 2)))
        return Work(["--size", size], volume, levels * (levels + 1) / 2 + 10)
    if program == "matmul":
        size = max(2, min(800, int(math.sqrt(volume / 8 / 5))))
        words = ["--size", size]
        if source.random() < 0.4:
            words += ["--algorithm", source.choice(["direct", "fox", "summa"])]
        return Work(words, 40.0 * size**2, 30)
    if program == "fft2d":
        size = max(2, min(1024, int(math.sqrt(volume / 16 / 6))))
        words = ["--size", size] + (["--transposed"] if source.random() < 0.2 else [])
        return Work(words, 96.0 * size**2, 15)
    size = max(12, min(512, int(math.sqrt(volume / 8 / 6))))
    sweeps = source.randrange(1, 60)
    return Work(["--size", size, "--iterations", sweeps, "--halo", source.choice([1, 1, 2, 4])],
                48.0 * size**2 + 32.0 * size * sweeps, sweeps + 20)


def reckoned_seconds(work, network, ranks, copies, datagram):
    """What the job should take, if it goes badly."""
    arriving = (1 - network.loss) ** 2
    packets = work.bytes / max(datagram - HEADER_BYTES, 100) + work.supersteps * 2 * ranks
    sent = (work.bytes + packets * HEADER_BYTES) * copies * 3 / arriving
    attempts = 1
    if network.loss > 0:
        attempts += network.burst * math.log(packets * ranks + 10) / -math.log(network.loss)
    round_trip = max(network.rtt_seconds + 2 * network.jitter_seconds, 0.005)
    return sent / network.bytes_per_second + work.supersteps * 2 * attempts * round_trip


def whole_round_seconds(work, network, ranks, copies, datagram):
    """What rounds add that begin again until nothing in one is lost, with the most of them before a job gives up."""
    leg_bytes = work.bytes / 4
    packets = leg_bytes / max(datagram - HEADER_BYTES, 100) + ranks
    rounds = math.exp(min(2 * network.loss**copies * packets, math.log(MOST_WHOLE_ROUNDS)))
    round_trip = max(network.rtt_seconds + 2 * network.jitter_seconds, 0.02)
    round_seconds = 2 * (copies * leg_bytes / network.bytes_per_second + round_trip)
    return (PATIENCE * 4 * rounds + MOST_WHOLE_ROUNDS) * round_seconds + 2 * PEER_TIMEOUT_SECONDS


def draw_protocol(source, network, work):
    """Options of the transport, and how often a packet is sent at least."""
    words = []
    copies = 1
    redundancy = source.choice(["auto", "auto", "copies", "coded", "none", None])
    if redundancy:
        words += ["--redundancy", redundancy]
    if redundancy == "copies":
        copies = source.choice([1, 2, 3, 5])
        words += ["--copies", copies]
    if source.random() < 0.3 and redundancy in (None, "copies", "none"):
        words += ["--recovery", source.choice(["receiver", "rounds", "whole-round"])]
    datagram = 1400
    if source.random() < 0.4:
        datagram = int(log_uniform(source, 256, 9000))
        words += ["--datagram", datagram]
    return words, copies, datagram


def draw_event(source, ranks, backend, reckoned):
    if ranks < 2 or backend == "threads" or source.random() < 0.7:
        return None
    after = log_uniform(source, 0.05, max(0.3, reckoned / 10))
    if source.random() < 0.4:
        return Event("kill", after, [source.randrange(ranks)])
    chosen = source.choice([[source.randrange(ranks)], list(range(ranks)),
                            source.sample(range(ranks), source.randrange(1, ranks + 1))])
    return Event("stop", after, chosen, source.uniform(0.1, 6))


def draw(seed, index, with_mpi=False, longest_seconds=math.inf):
    """Job `index` of a soak: the same for the same arguments. None is allowed more than `longest_seconds`."""
    source = random.Random(f"{seed}/{index}")
    while (job := draw_one(source, with_mpi)).bound_seconds > longest_seconds:
        pass
    return job


def draw_one(source, with_mpi):
    backends = ["udp"] * 12 + ["threads"] + (["mpi"] if with_mpi else [])
    backend = source.choice(backends)
    network = draw_network(source) if backend == "udp" and source.random() < 0.9 else Network()
    program = source.choice(list(FIRST_RANKS))
    ranks = source.choice(list(FIRST_RANKS[program]))
    rate_words = draw_rate(source, network) if backend == "udp" else []
    work = draw_work(source, program, ranks, min(20e6, 15 * network.bytes_per_second))
    arguments, copies, datagram = draw_protocol(source, network, work) if backend == "udp" else ([], 1, 1400)
    arguments += rate_words
    if backend != "udp":
        arguments += ["--backend", backend]
    if network.words:
        arguments += ["--wan", ",".join(network.words), "--seed", source.randrange(1, 10**6)]
    reckoned = reckoned_seconds(work, network, ranks, copies, datagram)
    event = draw_event(source, ranks, backend, reckoned)
    seconds = FIXED_SECONDS + PATIENCE * reckoned
    whole_rounds = "whole-round" in arguments
    if whole_rounds:
        seconds += whole_round_seconds(work, network, ranks, copies, datagram)
    if event:
        seconds += event.after_seconds + event.for_seconds + 2 * PEER_TIMEOUT_SECONDS
    arguments += ["-n", ranks, "--start-timeout", "60s", "--", program, *work.words, "--verify"]
    return Job([str(word) for word in arguments], program, ranks, seconds, event, whole_rounds)
