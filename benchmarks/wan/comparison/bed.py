"""Where the ranks are: on the virtual hosts of `lbsp wan`, or all on this machine."""
import os
import subprocess

from .problem import Problem

RTT = 0.070  # seconds
RATE = 100e6 / 8  # bytes a second of each host


class Bed:
    """Virtual hosts, there from the beginning to the end of a with. Each run has a bed of its own, for the kernel of
    a host remembers what TCP found out about the others, and the bed's random faults begin with its seed."""

    def __init__(self, lbsp, hosts, loss, seed):
        self.lbsp, self.hosts, self.loss, self.seed = lbsp, hosts, loss, seed
        self.name = f"compare-{os.getpid()}"
        self.hosts_file = f"/run/lbsp-wan/{self.name}/hosts"

    def __enter__(self):
        try:
            self.up()
        except BaseException:  # also when interrupted between the command's end and ours
            self.__exit__()
            raise
        return self

    def up(self):
        network = f"loss={self.loss:g}%,rtt={RTT * 1e3:g}ms,rate={RATE * 8 / 1e6:g}Mbit"
        up = subprocess.run([self.lbsp, "wan", "up", "--name", self.name, "-n", str(self.hosts), "--wan", network,
                             "--seed", str(self.seed)], capture_output=True, text=True)
        if up.returncode != 0:
            raise Problem((up.stderr.strip().splitlines() or ["no bed: see lbsp wan up"])[-1].removeprefix("lbsp: "))

    def __exit__(self, *_):
        subprocess.run([self.lbsp, "wan", "down", "--name", self.name], capture_output=True)

    def on(self, host, *command):
        return [self.lbsp, "wan", "exec", "--name", self.name, f"h{host}", "--", *command]

    def agent(self, shell=""):
        return f"{self.lbsp} wan exec --name {self.name} {shell}".strip()

    def options(self):
        """Of an `lbsp run` that is to have its ranks there."""
        return ["--hosts", self.hosts_file, "--launch-agent", self.agent()]

    def rate(self):
        return ["--rate", f"{RATE * 8 / 1e6:g}Mbit"]

    def set_congestion(self, name):
        """By the hosts' routes: as a namespace's default the kernel takes only what the whole machine allows."""
        change = f'ip route replace $(ip route show dev wan0 | sed "s/congctl [a-z]*//") dev wan0 congctl {name}'
        return all(subprocess.run(self.on(host, "sh", "-c", change), capture_output=True).returncode == 0
                   for host in range(self.hosts))

    def addresses(self):
        return ",".join(f"198.18.0.{host + 1}" for host in range(self.hosts))


class Here:
    """This machine, without a bed."""

    def __init__(self, lbsp, hosts):
        self.lbsp, self.hosts = lbsp, hosts

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def options(self):
        return ["-n", str(self.hosts)]

    def rate(self):
        return []
