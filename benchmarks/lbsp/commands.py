"""What the scripts of this folder share: commands that must succeed, and a bed of virtual hosts."""
import pathlib
import subprocess
import sys


def called(words, **options):
    """What the command prints. Ends the script with the command's own error if it fails."""
    words = [str(word) for word in words]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    except FileNotFoundError:
        sys.exit(f"lbsp: there is no {words[0]}: build everything with -DLBSP_BENCHMARKS=ON, and name the folder of lbsp")
    if done.returncode != 0:
        sys.exit(f"lbsp: {' '.join(words[:2])} failed: {done.stderr.strip()}")
    return done.stdout


class Bed:
    """Virtual hosts, while a block lasts. `hosts_file` names them."""

    def __init__(self, lbsp, name, hosts, wan):
        self.lbsp = lbsp
        self.name = name
        called([lbsp, "wan", "up", "--name", name, "-n", hosts, "--wan", wan])
        self.hosts_file = pathlib.Path(f"/run/lbsp-wan/{name}/hosts")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        called([self.lbsp, "wan", "down", "--name", self.name])
