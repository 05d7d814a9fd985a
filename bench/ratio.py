#!/usr/bin/env python3
"""How much of PyTorch's time mapo takes for one training iteration of the paper's size.

    bench/ratio.py                                        25 queries, 10,000 rollouts
    bench/ratio.py --queries 100 --rollouts 15000

alternates `mapo bench --json` and bench/pytorch_step.py and prints the ratio of their median iterations pair by pair,
and the median of the pairs: on a shared machine only the ratio of neighbours means something. It builds mapo unless
--mapo names one. Where there is no PyTorch it says so and ends with 0. PYTHON names the interpreter that has it."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MISSING = 77  # pytorch_step.py: there is no PyTorch


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--queries", type=int, default=25)
    ap.add_argument("--rollouts", type=int, default=10000)
    ap.add_argument("--budget", type=int, default=20)
    ap.add_argument("--workers", type=int, default=0, help="cores for each; 0: all")
    ap.add_argument("--pairs", type=int, default=5)
    ap.add_argument("--seconds", type=float, default=5, help="how long each side of a pair goes on")
    ap.add_argument("--mapo", help="the program to measure (default: built from this tree)")
    return ap.parse_args()


def interpreter():
    """The first Python that has PyTorch; Debian's is not always the first in PATH."""
    known = [os.environ.get("PYTHON"), sys.executable, "/usr/bin/python3"]
    for python in filter(None, known):
        try:
            if subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode == 0:
                return python
        except OSError:
            continue
    return sys.executable


def measure(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == MISSING:
        sys.exit(0)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def main():
    a = arguments()
    size = [f"--{name}={getattr(a, name)}" for name in ("queries", "rollouts", "budget", "seconds")]
    peer = [interpreter(), os.path.join(HERE, "pytorch_step.py"), *size, f"--threads={a.workers}"]
    with tempfile.TemporaryDirectory() as folder:
        mapo = a.mapo
        if not mapo:
            mapo = os.path.join(folder, "mapo")
            subprocess.run(["go", "build", "-o", mapo, "./cmd/mapo"], cwd=os.path.dirname(HERE), check=True)
        own = [mapo, "bench", "--json", *size, f"--workers={a.workers}"]
        ratios = []
        for pair in range(a.pairs):
            commands = [own, peer]
            if pair % 2:  # each goes first as often as the other
                commands.reverse()
            both = [measure(c) for c in commands]
            if pair % 2:
                both.reverse()
            ours, theirs = both
            if not pair:
                print(f"mapo {ours['kernel']} {ours['precision']}, {ours['workers']} workers; PyTorch {theirs['torch']}, "
                      f"{theirs['threads']} threads, {', '.join(theirs['blas'])}")
                if not any(name.startswith(("libopenblas", "libblis", "libmkl")) for name in theirs["blas"]):
                    print("warning: this PyTorch has only the reference BLAS, some twenty times slower: "
                          "apt-get install libopenblas0-pthread")
            ratios.append(ours["seconds_median"] / theirs["seconds_median"])
            print(f"{ours['seconds_median']:8.3f} s {theirs['seconds_median']:8.3f} s   ratio {ratios[-1]:.3f}   "
                  f"{100 * ours['peak_fraction']:.0f} % of the peak", flush=True)
        print(f"median ratio {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
