"""The tables."""
from .bed import RATE, RTT
from .carriers import family
from .tasks import KINDS, PROGRAMS

NETWORK = f"round trip {RTT * 1e3:g} ms, {RATE * 8 / 1e6:g} Mbit/s a host"
TITLES = {
    "supersteps": f"All-to-all supersteps on the bed, {NETWORK}",
    "algorithms": f"The algorithms on the bed, {NETWORK}",
    "loopback": "All-to-all supersteps on this machine, without a bed",
}
TIMES = f"{'median':>10} {'smallest - largest':>23}"
HEADS = {
    "supersteps": f"{'n':>3} {'loss':>5} {'bytes':>8}  {'carrier':<15} {'mean':>10} {TIMES} {'p99':>10} {'/bound':>7}  "
                  "supersteps",
    "algorithms": f"{'n':>3} {'loss':>5} {'program':<12}  {'carrier':<15} {TIMES} {'alone':>10} {'supersteps':>10} "
                  f"{'verified':>9}",
    "loopback": f"{'n':>3} {'bytes':>8}  {'carrier':<15} {TIMES} {'p99':>10}  supersteps",
}


def time_text(seconds):
    if seconds is None:
        return "-"
    if seconds < 0.001:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 10 else f"{seconds:.1f} s"


def times(cell):
    spread = "-"
    if cell["runs"] > 1 and cell["median"] is not None:
        spread = f"{time_text(cell['smallest'])} - {time_text(cell['largest'])}"
    return f"{time_text(cell['median']):>10} {spread:>23}"


def count(cell):
    return f"{cell['done']} of {cell['asked']}"


def supersteps_line(cell):
    ratio = "-" if cell["ratio"] is None else f"{cell['ratio']:.2f}"
    return (f"{cell['hosts']:>3} {cell['loss_percent']:>4g}% {cell['work']:>8}  {cell['carrier']:<15} "
            f"{time_text(cell['mean']):>10} {times(cell)} {time_text(cell['p99']):>10} {ratio:>7}  {count(cell)}")


def algorithms_line(cell):
    verified = "-" if cell["done"] == 0 else f"{cell['verified']} of {cell['runs']}"
    return (f"{cell['hosts']:>3} {cell['loss_percent']:>4g}% {cell['work']:<12}  {cell['carrier']:<15} {times(cell)} "
            f"{time_text(cell['algorithm']):>10} {cell['supersteps'] or '-':>10} {verified:>9}")


def loopback_line(cell):
    return (f"{cell['hosts']:>3} {cell['work']:>8}  {cell['carrier']:<15} {times(cell)} {time_text(cell['p99']):>10}  "
            f"{count(cell)}")


LINES = {"supersteps": supersteps_line, "algorithms": algorithms_line, "loopback": loopback_line}


def line(cell):
    text = LINES[cell["kind"]](cell)
    return text if cell["outcome"] == "done" else f"{text}, {cell['outcome']}"


def verdicts(cells):
    """Which algorithms were verified in every run that there was, for each loss and each backend."""
    groups = {}
    for cell in cells:
        if cell["kind"] == "algorithms":
            groups.setdefault((cell["hosts"], cell["loss_percent"], family(cell["carrier"])), []).append(cell)
    for (hosts, loss, backend), group in groups.items():
        right = [program for program in PROGRAMS
                 if any(cell["work"] == program for cell in group)
                 and all(cell["verified"] == cell["runs"] for cell in group if cell["work"] == program)]
        yield f"verified in all runs on {hosts} hosts at {loss:g} % loss over {backend}: {', '.join(right) or 'none'}"


def mean_text(cell):
    """In milliseconds; a star where not all supersteps were done."""
    mean = "-" if cell["mean"] is None else f"{cell['mean'] * 1e3:.{1 if cell['mean'] < 1 else 0}f}"
    return mean if cell["done"] == cell["asked"] else f"{mean}*"


def overview(cells):
    """The means of supersteps against loss: a table for each number of hosts and size, where there are several. A
    program's time is the sum of its supersteps', the rare long ones among them, which a median does not show."""
    groups = {}
    for cell in cells:
        if cell["kind"] == "supersteps":
            groups.setdefault((cell["hosts"], cell["work"]), []).append(cell)
    for (hosts, size), group in groups.items():
        losses = sorted({cell["loss_percent"] for cell in group})
        if len(losses) < 2:
            continue
        found = {(cell["carrier"], cell["loss_percent"]): cell for cell in group}
        rows = [[f"{loss:g} %" for loss in losses]]
        rows.append([f"{next(c['bound'] for c in group if c['loss_percent'] == loss) * 1e3:.1f}" for loss in losses])
        carriers = list(dict.fromkeys(cell["carrier"] for cell in group))
        rows += [[mean_text(found[name, loss]) if (name, loss) in found else "" for loss in losses]
                 for name in carriers]
        yield "\n".join([f"{hosts} hosts, {size} bytes per pair: means in ms, * some supersteps not in time",
                         *(f"{name:<15}" + "".join(f"{text:>10}" for text in row)
                           for name, row in zip(["loss", "bound", *carriers], rows))])


def heading(kind):
    return f"{TITLES[kind]}\n{HEADS[kind]}"


def table(cells):
    parts = []
    for kind in KINDS:
        own = [cell for cell in cells if cell["kind"] == kind]
        if own:
            parts.append("\n".join([heading(kind), *map(line, own), *verdicts(own)]))
    parts += overview(cells)
    return "\n\n".join(parts) + "\n"
