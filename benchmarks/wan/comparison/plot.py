"""The figure, by gnuplot."""
import math
import subprocess


def plot(cells, path):
    """The ratio to the bound against loss, a panel for each size and number of hosts."""
    panels = sorted({(cell["hosts"], cell["bytes"]) for cell in cells})
    columns = math.ceil(math.sqrt(len(panels)))
    rows = math.ceil(len(panels) / columns)
    losses = [cell["loss"] * 100 for cell in cells]
    script = [f"set terminal svg size {480 * columns},{360 * rows}", f"set output '{path}'",
              f"set multiplot layout {rows},{columns}", "set logscale y",
              f"set xrange [{min(losses) - 1:g}:{max(losses) + 1:g}]", "set xlabel 'loss (%)'",
              "set ylabel 'median / bound'", "set key left top font ',8'"]
    for hosts, size in panels:
        curves = {}
        for cell in cells:
            if (cell["hosts"], cell["bytes"]) == (hosts, size) and cell["ratio"] is not None:
                curves.setdefault(cell["carrier"], []).append(f"{cell['loss'] * 100:g} {cell['ratio']:g}")
        if not curves:
            continue
        script.append(f"set title '{hosts} hosts, {size} bytes per pair'")
        for index, points in enumerate(curves.values()):
            script.append("\n".join([f"$c{index} << EOD", *points, "EOD"]))
        script.append("plot " + ", ".join(f"$c{index} with linespoints title '{name}'"
                                          for index, name in enumerate(curves)))
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)
