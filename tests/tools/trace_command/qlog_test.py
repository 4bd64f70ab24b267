"""Converts a run to qlog, and checks the files: by the JSON schema beside this file, and that what they tell can be.

    qlog_test.py BIN     BIN: the folder of lbsp. Ends with 77 where there is no jsonschema for Python
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("no jsonschema for Python here: install python3-jsonschema")
    sys.exit(77)

SCHEMA = json.loads(pathlib.Path(__file__).with_name("qlog.schema.json").read_text(encoding="utf-8"))
RANKS = 3


def called(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=100)
    if done.returncode != 0:
        sys.exit(f"{words[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def times(trace, name):
    """When what happened to the datagram of each number."""
    return {event["data"]["header"]["packet_number"]: event["time"] for event in trace["events"] if event["name"] == name}


def problems_of(name, pair):
    found = [f"{name}: {error.message[:200]} at {list(error.absolute_path)}"
             for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(pair)]
    if found:
        return found
    if [trace["vantage_point"]["type"] for trace in pair["traces"]] != ["client", "server"]:
        return [f"{name}: not one client and one server"]
    for trace in pair["traces"]:
        namespaces = {uri.rsplit(":", 1)[1] for uri in trace["event_schemas"]}
        moments = [event["time"] for event in trace["events"]]
        if moments != sorted(moments):
            found.append(f"{name}: not in the order of time")
        if not all(event["name"].split(":")[0] in namespaces for event in trace["events"]):
            found.append(f"{name}: an event of no schema that is named")
        if not times_of_metrics(trace):
            found.append(f"{name}: nothing measured")
    for sender, receiver in (pair["traces"], pair["traces"][::-1]):
        found += problems_of_way(name, sender, receiver)
    return found


def times_of_metrics(trace):
    return [event["time"] for event in trace["events"] if event["name"] == "recovery:metrics_updated"]


def problems_of_way(name, sender, receiver):
    """Of the datagrams from one to the other, all of which the trace has."""
    found = []
    sent, came = times(sender, "transport:packet_sent"), times(receiver, "transport:packet_received")
    lost = times(sender, "recovery:packet_lost")
    if not sent or not came:
        found.append(f"{name}: nothing sent")
    # A rank tells its events before it sends its last farewell, which the other may have before it tells its own.
    came.pop(max(sent, default=-1) + 1, None)
    if not set(came) <= set(sent) or not set(lost) <= set(sent):
        found.append(f"{name}: something came or was lost that had not been sent")
    elif any(came[number] < sent[number] - 1e-6 for number in came):
        found.append(f"{name}: something came before it was sent")
    missing = len(sent) - len(came)
    if not 0.02 * len(sent) <= missing <= 0.25 * len(sent):
        found.append(f"{name}: {missing} of {len(sent)} did not come where one of ten is lost")
    return found


def main():
    lbsp = pathlib.Path(sys.argv[1]) / "lbsp"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace, out = folder / "trace", folder / "qlog"
        called(lbsp, "run", "-n", RANKS, "--wan", "rtt=10ms,loss=10%,rate=50Mbit", "--redundancy", "none", "--trace", trace,
               "--trace-packets", 100000, "--", "fft2d", "--size", "512", "--no-verify")
        said = called(lbsp, "trace", "convert", trace, "--to", "qlog", "-o", out)
        found = [] if "clocks of each pair are aligned within" in said else [f"no word of clocks: {said}"]
        files = sorted(path.name for path in out.iterdir())
        if files != [f"{first}-{second}.qlog" for first in range(RANKS) for second in range(first + 1, RANKS)]:
            found.append(f"other files than one for each pair: {files}")
        lost = 0
        for file in out.iterdir():
            pair = json.loads(file.read_text(encoding="utf-8"))
            found += problems_of(file.name, pair)
            lost += sum(len(times(each, "recovery:packet_lost")) for each in pair["traces"])
        if lost == 0:
            found.append("nothing was found lost")
        sys.exit("\n".join(found) or 0)


main()
