#!/usr/bin/python3
"""mpi_network.py [--markdown] [--geodisk COMMAND] - training on two ranks of this machine with a network between them.

    /usr/bin/python3 bench/mpi_network.py

tests/mpi/slow_network.c, compiled by mpicc and preloaded, lets every message take as long as it would between machines: so many microseconds, so
many bits a second. A rank with one thread exchanges and works in turn; one with two exchanges while it works. For each network: seconds
of an epoch both ways, how long a rank waited for the network in it, and the share of that which took no time because work went on (one
minus what the epoch became longer by, over what was waited). The model must be the same bytes each time. Of several runs the fastest
counts. Ranks share the processors of this machine: what they compute with two threads is not faster than with one.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NETWORKS = [(0, 0), (50, 25), (500, 25), (500, 2), (2000, 2)]  # microseconds, Gb/s; the first: none
EPOCHS, RUNS = 3, 3


def train(geodisk, graph, folder, threads, network, shim):
    """Seconds of an epoch, seconds waited in an epoch by the rank that waited most, the model's bytes."""
    log, waited, model = folder / "log.jsonl", folder / "waited.txt", folder / "model.safetensors"
    for path in (log, waited):
        path.unlink(missing_ok=True)
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
    words = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2", "-x", f"LD_PRELOAD={shim}", "-x", f"NETWORK_LATENCY={network[0]}",
             "-x", f"NETWORK_RATE={network[1] * 125e6}", "-x", f"NETWORK_LOG={waited}",
             geodisk, "train", str(graph), "-o", str(model), "--log", str(log), "--dim", "10", "--precision", "float", "--negatives", "512",
             "--batch", "8192", "--epochs", str(EPOCHS), "--threads", str(threads), "--quiet"]
    subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    seconds = [json.loads(line)["seconds"] for line in log.read_text().splitlines() if '"seconds"' in line]
    return min(seconds), max(float(line) for line in waited.read_text().split()) / EPOCHS, model.read_bytes()


def best(*arguments):
    runs = [train(*arguments) for _ in range(RUNS)]
    return min(runs, key=lambda run: run[0])


def commit():
    def git(*words):
        return subprocess.run(["git", "-C", str(ROOT), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + (", changed since" if git("status", "--porcelain", "-uno") else "")


def machine():
    about = pathlib.Path("/proc/cpuinfo").read_text()
    names = [line.split(":", 1)[1].strip() for line in about.splitlines() if line.startswith("model name")]
    return f"{names[0] if names else 'unknown'}, {os.cpu_count()} cores"


def main():
    words = sys.argv[1:]
    geodisk = words[words.index("--geodisk") + 1] if "--geodisk" in words else str(ROOT / "build/release/geodisk")
    columns = ["network", "in turn, s an epoch", "at once, s an epoch", "waited, s an epoch", "of it hidden"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shim, graph = folder / "libnetwork.so", folder / "graph.tsv"
        subprocess.run(["mpicc", "-O2", "-shared", "-fPIC", "-o", str(shim), str(ROOT / "tests/mpi/slow_network.c")], check=True)
        subprocess.run([geodisk, "graph", "generate", "barabasi-albert", "--nodes", "40000", "--attach", "10", "-o", str(graph), "--quiet"],
                       check=True)
        rows, models, free = [], set(), None
        for network in NETWORKS:
            turn, at_once = (best(geodisk, graph, folder, threads, network, shim) for threads in (1, 2))
            models |= {turn[2], at_once[2]}
            free = free or at_once[0]
            hidden = f"{1 - (at_once[0] - free) / at_once[1]:.0%}" if at_once[1] > 0 else ""
            said = f"{network[0]} µs, {network[1]} Gb/s" if network != (0, 0) else "none"
            rows.append([said, f"{turn[0]:.2f}", f"{at_once[0]:.2f}", f"{at_once[1]:.2f}", hidden])
            print(*rows[-1], sep="\t", file=sys.stderr)
    if len(models) != 1:
        sys.exit("the models differ")
    if "--markdown" in words:
        print(f"Measured {datetime.date.today()} on {machine()}, commit {commit()}, by `bench/mpi_network.py`:\n")
        print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))
        for row in rows:
            print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
