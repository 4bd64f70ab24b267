"""All runs so far, in a file that is whole at any time."""
import json
import os

from .bed import RATE, RTT
from .problem import Problem
from .summary import cells_of
from .tasks import KINDS, key_of


def write(path, text):
    """The whole file or nothing, whenever we are stopped."""
    try:
        with open(path + ".part", "w") as file:
            file.write(text)
        os.replace(path + ".part", path)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}: give another --out")


class Results:
    def __init__(self, path, settings=None, runs=None):
        self.path = path
        self.settings = settings or {}  # by kind, what all its runs have in common
        self.runs = {key_of(run): run for run in runs or []}

    @classmethod
    def load(cls, path):
        try:
            with open(path) as file:
                found = json.load(file)
            return cls(path, found["settings"], found["runs"])
        except OSError as error:
            raise Problem(f"{path}: {error.strerror}: give a file that compare.py has written")
        except (ValueError, KeyError, TypeError):
            raise Problem(f"{path}: no runs of compare.py in it: give a file that compare.py has written")

    def agree(self, kind, settings):
        """Runs of a kind are comparable only if they were made alike."""
        before = self.settings.setdefault(kind, settings)
        for name, value in settings.items():
            if before.get(name) != value:
                raise Problem(f"{self.path} has {kind} with other {name.replace('_', ' ')}, {before.get(name)}: "
                              "give the same, or another --out")

    def has(self, task, carrier, repeat):
        return (task.kind, task.hosts, task.loss_percent, task.work, carrier, repeat) in self.runs

    def add(self, run):
        self.runs[key_of(run)] = run
        self.save()

    def cells(self, kind=None):
        kinds = KINDS if kind is None else [kind]
        return [cell for one in kinds for cell in cells_of(one, self.runs.values())]

    def save(self):
        def lines(values):
            return "[\n" + ",\n".join(map(json.dumps, values)) + "\n]"
        write(self.path, f'{{\n"rtt": {RTT},\n"rate": {RATE:g},\n"settings": {json.dumps(self.settings)},\n'
                         f'"cells": {lines(self.cells())},\n"runs": {lines(self.runs.values())}\n}}\n')
