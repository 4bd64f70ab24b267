#!/usr/bin/env python3
"""Sets what private_cells printed of two builds against each other, cell by cell and seed by seed.

  compare_cells.py BEFORE AFTER

A line for each kind of cell: how much longer supersteps take, in per cent, in the mean with its standard deviation, and
in the worst and the best cell. The first superstep, the second, and those after them.
"""
import statistics
import sys


def read(path):
    rows = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            *key, first, second, later = line.split()
            rows[tuple(key)] = (float(first), float(second), float(later))
    return rows


def report(name, cells):
    means = {cell: statistics.mean(values) for cell, values in cells.items()}
    every = [value for values in cells.values() for value in values]
    worst = max(means, key=means.get)
    best = min(means, key=means.get)
    print(f"{name:36} {len(means):3} cells {statistics.mean(every):+6.2f} % (sd {statistics.pstdev(every):5.2f})"
          f"  worst {means[worst]:+6.2f} % {' '.join(worst[1:])}  best {means[best]:+6.2f} % {' '.join(best[1:])}")


def main(before, after):
    old, new = read(before), read(after)
    kinds = {}
    for key in old:
        if key not in new:
            continue
        *cell, _seed = key
        for index, which in enumerate(("first", "second", "later")):
            kind = kinds.setdefault(f"{cell[0]} {cell[3]} {which}", {})
            kind.setdefault(tuple(cell), []).append(100 * (new[key][index] / old[key][index] - 1))
    for name, cells in kinds.items():
        report(name, cells)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("lbsp: two files are needed: name what private_cells printed before and after")
    main(sys.argv[1], sys.argv[2])
