"""The figure, by gnuplot: panels, then a legend for all of them."""
import math
import subprocess
from dataclasses import dataclass

from .carriers import ALL, family
from .problem import Problem
from .tasks import KINDS

PANEL = (520, 400)
# Paul Tol's muted colours and some besides: told apart also by most who are colour-blind.
COLOURS = ["#332288", "#88ccee", "#44aa99", "#117733", "#999933", "#ddcc77", "#cc6677", "#882255", "#aa4499", "#555555",
           "#ee7733", "#0077bb", "#bbbbbb", "#000000", "#997700", "#6699cc", "#ee99aa"]
# gnuplot's numbers of the filled and the open mark of each family.
MARKS = {"lbsp": (7, 6), "MPI": (5, 4), "sockets": (13, 12)}
NOTHING = 8  # an open triangle
NOTES = ["bar: smallest to largest median of a run (this machine: median to p99)",
         "open mark: some run was stopped by its limit, so the time is too good",
         "open triangle at the top: no run had anything to show"]


@dataclass(frozen=True)
class Panel:
    title: str
    scale: str  # the name of the ordinate
    unit: float | None  # seconds that are 1 on it; None: the cell's bound
    cells: list


def colour(carrier):
    return COLOURS[ALL.index(carrier) % len(COLOURS)] if carrier in ALL else "#000000"


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} bytes"


def panel_of(kind, hosts, work, cells):
    if kind == "algorithms":
        return Panel(f"{work}, {hosts} hosts", "seconds", 1.0, cells)
    what = "empty supersteps" if work == 0 else f"{size_text(work)} per pair"
    if kind == "loopback":
        return Panel(f"{what}, {hosts} ranks on this machine", "microseconds", 1e-6, cells)
    return Panel(f"{what}, {hosts} hosts", "median / bound", None, cells)


def panels_of(cells):
    groups = {}  # in the cells' order
    for cell in sorted(cells, key=lambda cell: KINDS.index(cell["kind"])):
        groups.setdefault((KINDS.index(cell["kind"]), cell["hosts"], cell["work"]), []).append(cell)
    return [panel_of(KINDS[kind], hosts, work, groups[kind, hosts, work]) for kind, hosts, work in groups]


def carriers_of(cells):
    return sorted({cell["carrier"] for cell in cells}, key=lambda name: (ALL + [name]).index(name))


def heights(panel, cell):
    """Where the mark and the ends of the bar are, or None."""
    if cell["median"] is None:
        return None
    unit = panel.unit or cell["bound"]
    ends = ("median", "p99") if cell["kind"] == "loopback" else ("smallest", "largest")
    return [cell[name] / unit for name in ("median", *ends)]


def y_range(panel):
    found = [height for cell in panel.cells for height in heights(panel, cell) or []] or [1.0]
    low, high = min(found), max(found)
    if panel.unit is None:
        low = min(low, 1.0)
    return low / 1.5, high * 3


def tics(low, high):
    """1, 2 and 5 of every decade, or 1 alone if that are many."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if math.log10(high / low) < 3 else (1,)
    return ", ".join(f"{step * 10.0 ** decade:g}" for decade in decades for step in steps)


class Script:
    """gnuplot's input for one panel."""

    def __init__(self, panel):
        self.panel, self.carriers = panel, carriers_of(panel.cells)
        self.by_carrier = panel.cells[0]["kind"] == "loopback"
        self.low, self.high = y_range(panel)
        self.losses = [cell["loss_percent"] for cell in panel.cells]
        self.blocks, self.plots = [], []

    def x_of(self, cell):
        """By loss, the carriers a little beside one another."""
        place = self.carriers.index(cell["carrier"])
        if self.by_carrier:
            return place
        span = max(self.losses) - min(self.losses) or 1
        return cell["loss_percent"] + (place - (len(self.carriers) - 1) / 2) * 0.008 * span

    def add(self, rows, style):
        if rows:
            name = f"$d{len(self.blocks)}"
            self.blocks.append("\n".join([f"{name} << EOD", *rows, "EOD"]))
            self.plots.append(f"{name} {style} notitle")

    def row(self, cell):
        return " ".join(f"{value:g}" for value in [self.x_of(cell), *heights(self.panel, cell)])

    def add_carrier(self, carrier):
        cells = [cell for cell in self.panel.cells if cell["carrier"] == carrier]
        shown = [cell for cell in cells if cell["median"] is not None]
        ink = f"lc rgb '{colour(carrier)}'"
        filled, opened = MARKS[family(carrier)]
        self.add([self.row(cell) for cell in shown], f"using 1:2 with lines lw 1.5 {ink}")
        self.add([self.row(cell) for cell in shown if cell["runs"] > 1 or self.by_carrier],
                 f"using 1:2:3:4 with yerrorbars pt -1 lw 1 {ink}")
        for done, mark in ((True, filled), (False, opened)):
            self.add([self.row(cell) for cell in shown if (cell["outcome"] == "done") == done],
                     f"using 1:2 with points pt {mark} ps 0.7 lw 1.5 {ink}")
        self.add([f"{self.x_of(cell):g} {self.high / 1.3:g}" for cell in cells if cell["median"] is None],
                 f"using 1:2 with points pt {NOTHING} ps 0.9 lw 1.5 {ink}")

    def axes(self):
        if self.by_carrier:
            tics = ", ".join(f"'{name}' {place}" for place, name in enumerate(self.carriers))
            return ["set xlabel ''", f"set xtics ({tics})", f"set xrange [-0.5:{len(self.carriers) - 0.5}]"]
        span = max(self.losses) - min(self.losses) or 1
        tics_at = ", ".join(f"{loss:g}" for loss in sorted(set(self.losses)))
        return ["set xlabel 'loss (%)'", f"set xtics ({tics_at})",
                f"set xrange [{min(self.losses) - 0.08 * span:g}:{max(self.losses) + 0.08 * span:g}]"]

    def text(self):
        for carrier in self.carriers:
            self.add_carrier(carrier)
        if self.panel.unit is None:
            self.plots.append("1 with lines lw 1 dt 2 lc rgb 'black' notitle")
        return [f"set title '{self.panel.title}'", f"set ylabel '{self.panel.scale}'", "set logscale y",
                f"set yrange [{self.low:g}:{self.high:g}]", f"set ytics ({tics(self.low, self.high)})", *self.axes(), "unset key", *self.blocks,
                "plot " + ", ".join(self.plots)]


def legend(cells):
    entries = [f"NaN with linespoints lw 1.5 pt {MARKS[family(name)][0]} lc rgb '{colour(name)}' title '{name}'"
               for name in carriers_of(cells)]
    if any(cell["bound"] for cell in cells):
        entries.append("NaN with lines dt 2 lc rgb 'black' title 'bound'")
    notes = [f"set label '{note}' at graph 0,{0.1 - 0.06 * place:g} font ',9'" for place, note in enumerate(NOTES)]
    return [*notes, "unset logscale", "set xrange [0:1]", "set yrange [0:1]", "set title ' '", "set xlabel ''", "set ylabel ''",
            "unset tics", "unset border", "set key left top Left reverse font ',10'", "plot " + ", ".join(entries)]


def script(cells, path):
    panels = panels_of(cells)
    columns = math.ceil(math.sqrt(len(panels) + 1))
    rows = math.ceil((len(panels) + 1) / columns)
    lines = [f"set terminal svg size {PANEL[0] * columns},{PANEL[1] * rows} noenhanced font 'sans,11' background rgb 'white'",
             f"set output '{path}'", f"set multiplot layout {rows},{columns}", "set grid y lc rgb '#dddddd'",
             "set format y '%g'"]
    for panel in panels:
        lines += Script(panel).text()
    return "\n".join([*lines, *legend(cells), "unset multiplot"]) + "\n"


def plot(cells, path):
    if not cells:
        return
    drawn = subprocess.run(["gnuplot"], input=script(cells, path), text=True, capture_output=True)
    if drawn.returncode != 0:
        raise Problem(f"{path}: gnuplot failed: {drawn.stderr.strip()}: draw it again with --from once that is mended")
