#!/usr/bin/env python3
"""What Temporal costs on one machine: a run on a cluster of this machine alone, beside the same in one process.

    bench/cluster.py SPEC [--scale smoke] [--pairs 5]

alternates the two on fresh stores and prints seconds and CPU seconds pair by pair, and the medians of their ratios: on a
shared machine only the ratio of neighbours means something. CPU seconds of the cluster are those of mapo, its worker and
the Temporal server. It builds mapo and mapo-worker from this tree, and needs temporal in PATH. That both leave the same
policies is checked."""
import argparse
import filecmp
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("spec")
    ap.add_argument("--scale", default="")
    ap.add_argument("--pairs", type=int, default=5)
    ap.add_argument("--slots", default="2", help="of the worker")
    return ap.parse_args()


def cpu_of(pid):
    """CPU seconds of a process that runs."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ended(process):
    """Waits for a process; the CPU seconds of it and of what it waited for."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{process.args}: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def start(*command):
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def server(folder):
    """Starts Temporal; its process and address."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    process = start("temporal", "server", "start-dev", "--ip", "127.0.0.1", "--port", str(port), "--headless",
                    "--db-filename", os.path.join(folder, "temporal.db"), "--log-level", "never")
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, f"127.0.0.1:{port}"
        except OSError:
            if process.poll() is not None:
                sys.exit(f"temporal does not start: exit {process.returncode}")
            time.sleep(.1)


def measure(folder, a, name, address=None, temporal=None):
    """Seconds and CPU seconds of a run, through Temporal where an address is given."""
    mapo, out, store = (os.path.join(folder, n) for n in ("mapo", name, name + "-store"))
    run = [mapo, "run", a.spec, "--out", out, "--store", store] + (["--scale", a.scale] if a.scale else [])
    cpu = 0
    if address:
        place = ["--temporal", address, "--store", store]
        worker = start(mapo + "-worker", "serve", "--create", "--slots", a.slots, *place)
        time.sleep(2)
        cpu -= cpu_of(temporal.pid)
        run += place[:2]
    try:
        begin = time.monotonic()
        cpu += ended(start(*run))
        seconds = time.monotonic() - begin
        if address:
            cpu += cpu_of(temporal.pid)
            worker.send_signal(signal.SIGINT)
            cpu += ended(worker)
    finally:
        if address and worker.returncode is None:  # the run failed: the worker would serve on
            worker.kill()
            worker.wait()
    return seconds, cpu


def main():
    a = arguments()
    a.spec = os.path.abspath(a.spec)
    with tempfile.TemporaryDirectory() as folder:
        build = ["go", "build", "-o", folder, "./cmd/mapo", "./cmd/mapo-worker"]
        subprocess.run(build, cwd=os.path.dirname(HERE), check=True)
        temporal, address = server(folder)
        ratios = []
        try:
            for i in range(a.pairs):
                pair = [("alone", None), ("cluster", address)]
                took = {}
                for name, at in pair if i % 2 == 0 else pair[::-1]:
                    took[name] = measure(folder, a, f"{name}-{i}", at, temporal)
                one, other = (os.path.join(folder, f"{n}-{i}", "policies") for n in took)
                if filecmp.cmpfiles(one, other, os.listdir(one), shallow=False)[0] != os.listdir(one):
                    sys.exit("the two leave other policies")
                ratios.append([c / p for c, p in zip(took["cluster"], took["alone"])])
                print("in one process %.2f s, %.2f s of CPU; through Temporal %.2f s, %.2f s of CPU; ratios %.3f, %.3f"
                      % (*took["alone"], *took["cluster"], *ratios[-1]), flush=True)
        finally:
            temporal.kill()
            temporal.wait()
        print("medians: seconds %.3f, CPU seconds %.3f" % tuple(map(statistics.median, zip(*ratios))))


if __name__ == "__main__":
    main()
