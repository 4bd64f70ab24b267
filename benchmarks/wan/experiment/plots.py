"""SVGs by gnuplot."""
import statistics
import subprocess

from experiment.matrix import (PAPER_LOSS, PAPER_RATE, PAPER_RTT, RATE_SCALE, expected_bandwidth, expected_loss,
                               expected_rtt, fragments)

MEASURED, EXPECTED, ONE_PATH, PAPER = "#b02a30", "#1f4e8c", "#c8c8c8", "#e4efe0"


def block(name, rows):
    return "\n".join([f"${name} << EOD", *(" ".join(f"{value:.8g}" for value in row) for row in rows), "EOD"])


def draw(script):
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True, timeout=60)


def figure_panel(rows, summaries, paths, panel):
    """Each path's measures in grey, their mean with its interval, what is expected as lines, the paper's range as a
    band. A panel: its key in rows and summaries, its title, what a value is multiplied with, the paper's range, and
    {title: (how to draw it, what is expected of a pair of hosts at a size)}."""
    key, name, title, scale, (low, high), lines = panel
    least, most = summaries[0]["bytes"] / 1.5, summaries[-1]["bytes"] * 1.5
    grid = [least * (most / least) ** (step / 300) for step in range(301)]
    curves = {"one path": ([(row["bytes"], scale * row[key]) for row in rows if row[key] > 0 or name == "loss"],
                           f"points pointtype 7 pointsize 0.25 linecolor rgb '{ONE_PATH}'")}
    for line, (style, expected) in lines.items():
        means = [(size, scale * statistics.fmean(expected(pair, size) for pair in paths)) for size in grid]
        curves[line] = means, f"lines {style} linecolor rgb '{EXPECTED}'"
    curves["measured, mean"] = ([(s["bytes"], scale * s[name], scale * (s[f"{name}_half_interval"] or 0))
                                 for s in summaries if name in s],
                                f"yerrorbars pointtype 7 pointsize 0.5 linecolor rgb '{MEASURED}'")
    plots = [f"${name}{number} with {style} title '{text}'" for number, (text, (_, style)) in enumerate(curves.items())]
    return [*(block(f"{name}{number}", points) for number, (points, _) in enumerate(curves.values())),
            f"set xrange [{least:g}:{most:g}]", f"set title '{title}'", "set object 1 rectangle from graph 0, "
            f"first {low * scale:g} to graph 1, first {high * scale:g} fillcolor rgb '{PAPER}' fillstyle solid "
            "noborder behind",
            "plot " + ", ".join([*plots, f"NaN with boxes fillstyle solid linecolor rgb '{PAPER}' title 'the paper'"])]


def draw_figures(rows, summaries, paths, path):
    matrix, solid = "the matrix, mean of the paths", "linewidth 1.5"
    losses = {"1 - (1-p)^{fragments}": ("dashtype 2", lambda pair, size: 1 - (1 - paths[pair].loss) ** fragments(size)),
              matrix: (solid, lambda pair, size: expected_loss(paths[pair], size))}
    bandwidths = {matrix: (solid, lambda pair, size: expected_bandwidth(paths[pair], size))}
    round_trips = {matrix: (solid, lambda pair, size: expected_rtt(paths[pair], paths[pair[::-1]], size))}
    paper_rate = tuple(rate * RATE_SCALE for rate in PAPER_RATE)
    panels = [("loss", "loss", "Figure 1: datagrams lost (%)", 100, PAPER_LOSS, losses),
              ("bandwidth", "bandwidth", "Figure 2: bandwidth (Mbit/s)", 8e-6, paper_rate, bandwidths),
              ("rtt_median", "rtt", "Figure 3: round trip (ms)", 1e3, PAPER_RTT, round_trips)]
    script = ["set terminal svg size 1350,480 font 'sans,12' background '#ffffff'", f"set output '{path}'",
              "set multiplot layout 1,3", "set pointintervalbox 0", "set logscale x", "set yrange [0:*]",
              "set xlabel 'bytes of a datagram'", "set bmargin 9",
              "set key below horizontal maxrows 2 reverse Left samplen 1.5", "set border 3", "set tics nomirror out",
              "set xtics ('64' 64, '512' 512, '1400' 1400, '8 Ki' 8192, '25 Ki' 25600, '64000' 64000) rotate by -40"]
    for panel in panels:
        script += figure_panel(rows, summaries, paths, panel)
    draw(script)


RECOVERY = {"rounds": "#b02a30", "lbsp": "#1f4e8c"}


def place(copies, last):
    """Of a number of copies along the axis; "auto" stands behind the last."""
    return last + 1 if copies == "auto" else copies


def speedup_panel(cells, name, label, number):
    """Points with the runs' spread and the models' lines, against copies."""
    last = max(cell["copies"] for cell in cells if cell["copies"] != "auto")
    data, curves = [], []
    for recovery, colour in RECOVERY.items():
        known = [cell for cell in cells if cell["recovery"] == recovery and cell["exchange"] is not None]
        if not known:
            continue
        points = [(place(cell["copies"], last), cell[name], cell[f"{name}_from"], cell[f"{name}_to"]) for cell in known]
        model = [(cell["copies"], cell[f"{name}_model"]) for cell in known if cell["copies"] != "auto"]
        planned = [(last + 1, cell[f"{name}_model"]) for cell in known if cell["copies"] == "auto" and cell["model"]]
        data += [block(f"{recovery}_{number}", points), block(f"{recovery}_model_{number}", model)]
        if planned:
            data.append(block(f"planned_{number}", planned))
            curves.append(f"$planned_{number} with points pointtype 1 linewidth 1.5 linecolor rgb '{colour}' notitle")
        curves += [f"${recovery}_{number} with yerrorbars pointtype 7 pointsize 0.5 linewidth 1.3 "
                   f"linecolor rgb '{colour}' title '{recovery}'",
                   f"${recovery}_model_{number} with lines linewidth 1.5 linecolor rgb '{colour}' "
                   f"title '{recovery}, model'"]
    tics = ", ".join([*(f"'{copies}' {copies}" for copies in range(1, last + 1)), f"'auto' {last + 1}"])
    return [*data, f"set title \"{cells[0]['what']}\\n{label}, {cells[0]['ranks']} hosts\"",
            f"set xrange [0.5:{last + 1.5}]", f"set xtics ({tics})", "plot " + ", ".join(curves)] if curves else []


def draw_speedup(cells, path):
    """A row for each number of hosts and way to count, a column for each program."""
    ranks = sorted({cell["ranks"] for cell in cells})
    columns = max(len({cell["what"] for cell in cells if cell["ranks"] == n}) for n in ranks)
    kinds = [("speedup", "each rank a 0.5 GFlop/s node of its own"), ("clock", "by the clock, on this machine")]
    rows = len(ranks) * len(kinds)
    script = [f"set terminal svg size {430 * columns},{330 * rows} font 'sans,12' background '#ffffff'",
              f"set output '{path}'", f"set multiplot layout {rows},{columns}", "set yrange [0:*]",
              "set xlabel 'copies'", "set ylabel 'speedup'", "set border 3", "set tics nomirror out",
              "set key top left reverse Left samplen 1.5 maxrows 2 font ',10'", "set offsets 0, 0, graph 0.35, 0"]
    number = 0
    for n in ranks:
        for name, label in kinds:
            for what in dict.fromkeys(cell["what"] for cell in cells if cell["ranks"] == n):
                number += 1
                of_panel = [cell for cell in cells if (cell["ranks"], cell["what"]) == (n, what)]
                script += speedup_panel(of_panel, name, label, number) or ["set multiplot next"]
    draw(script)
