"""The table."""

HEAD = f"{'n':>3} {'loss':>5} {'bytes':>8}  {'carrier':<15} {'median':>10} {'p99':>10} {'/bound':>7}  supersteps"


def line(cell):
    def milliseconds(value):
        return "-" if value is None else f"{value * 1e3:.1f} ms"
    ratio = "-" if cell["ratio"] is None else f"{cell['ratio']:.2f}"
    text = (f"{cell['hosts']:>3} {cell['loss'] * 100:>4g}% {cell['bytes']:>8}  {cell['carrier']:<15} "
            f"{milliseconds(cell['median']):>10} {milliseconds(cell['p99']):>10} {ratio:>7}  "
            f"{cell['supersteps']} of {cell['asked']}")
    return text if cell["outcome"] == "done" else f"{text}, {cell['outcome']}"
