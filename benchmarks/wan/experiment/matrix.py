"""Networks like that between the paper's hosts, drawn from a seed, and what a datagram of any size meets there.
Pure: no clock, no files, no bed."""
import math
import random
from dataclasses import dataclass

# What the paper says of its PlanetLab hosts (section I-A, figures 1 to 3).
PAPER_LOSS = (0.05, 0.15)
PAPER_RTT = (0.050, 0.100)
PAPER_RATE = (30e6, 50e6)

# A bed's router carries some 150,000 packets a second, all hosts together: an eighth of the paper's rates is what
# several hosts can use at once. The numbers stay, with Mbit for Mbyte.
RATE_SCALE = 1 / 8
BURSTY = 1 / 3  # of the paths
BURST = (2.0, 5.0)

MTU, IP_HEADER, UDP_HEADER = 1500, 20, 8
FRAGMENT = (MTU - IP_HEADER) // 8 * 8


@dataclass(frozen=True)
class Path:
    """What lies between a host and another, one way. Seconds, bytes a second, fractions; burst in packets."""
    loss: float
    rtt: float
    rate: float
    burst: float = 1.0

    def spec(self):
        text = f"loss={self.loss * 100:g}%,rtt={self.rtt * 1e3:g}ms,rate={self.rate * 8 / 1e6:g}Mbit"
        return text if self.burst == 1 else f"{text},burst={self.burst:g}"


def draw(hosts, seed):
    """{(from, to): Path} for all ordered pairs. Losses and bursts are each way's own, a round trip that of both ways,
    a rate that of the sending host."""
    chance = random.Random(seed)
    rates = [round(chance.uniform(*PAPER_RATE) * RATE_SCALE * 8 / 1e6, 1) * 1e6 / 8 for _ in range(hosts)]
    paths = {}
    for one in range(hosts):
        for other in range(one + 1, hosts):
            rtt = round(chance.uniform(*PAPER_RTT), 4)
            for pair in ((one, other), (other, one)):
                loss = round(chance.uniform(*PAPER_LOSS), 4)
                burst = round(chance.uniform(*BURST), 1) if chance.random() < BURSTY else 1.0
                paths[pair] = Path(loss, rtt, rates[pair[0]], burst)
    return paths


def to_text(paths):
    """The file that `lbsp wan up --matrix` takes."""
    hosts = 1 + max(pair[0] for pair in paths)
    lines = []
    for sender in range(hosts):
        words = [paths[sender, to].spec() if sender != to else "-" for to in range(hosts)]
        lines.append(" ".join(f"{word:<48}" for word in words).rstrip())
    return "\n".join(lines) + "\n"


def fragments(size):
    """In how many IP packets a datagram with `size` bytes of payload travels."""
    return max(1, math.ceil((size + UDP_HEADER) / FRAGMENT))


def expected_loss(path, size):
    """Of a datagram, which is lost with any of its fragments. Where losses come in runs, fragments are lost together:
    a packet that follows one that arrived is lost less often than others are."""
    leaves = min(1 / path.burst, 1 - path.loss)
    enters = leaves * path.loss / (1 - path.loss)
    return 1 - (1 - path.loss) * (1 - enters) ** (fragments(size) - 1)


def expected_bandwidth(path, size):
    """Payload a second: a bed's rate counts every IP packet without 28 bytes."""
    counted = size + UDP_HEADER - fragments(size) * UDP_HEADER
    return path.rate * size / counted


def expected_rtt(there, back, size):
    """Of a datagram of that size there and one back, its own time on the links included."""
    return there.rtt + size / expected_bandwidth(there, size) + size / expected_bandwidth(back, size)
