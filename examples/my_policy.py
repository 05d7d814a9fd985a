#!/usr/bin/env python3
"""A policy of your own, judged as any other:

    mapo eval 'cmd:python3 examples/my_policy.py' uniform --problem examples/thresholds.yaml --r 32

mapo starts this program, greets it with one JSON object on a line, and then asks it about states, a batch a line. Change
probabilities(); this one asks every query that may be asked with the same probability. Print nothing else to standard
output; what goes to standard error is shown when the program dies.
"""
import json
import sys


def probabilities(n, s, left, mask, problem):
    """The distribution over queries in one state.

    n, s: answers to each query so far, and their sum, an answer being +1 or -1
    left: answers left in the game
    mask: 1 where a query may not be asked; None where all may
    problem: the greeting: queries, hypotheses and budget are numbers, problem["problem"] has the texts and the
        hypotheses' answers ("z", a string of 0 and 1 for each; of the rows of a table a list of 2 * share - 1;
        where queries are vectors, "x" has those and "z" the hypotheses' vectors)
    """
    allowed = [not m for m in mask] if mask else [True] * len(n)
    share = 1 / sum(allowed)
    return [share if a else 0 for a in allowed]


def main():
    problem = json.loads(sys.stdin.readline())
    for line in sys.stdin:
        states = json.loads(line)
        masks = states["mask"] or [None] * len(states["n"])
        rows = [probabilities(n, s, left, mask, problem)
                for n, s, left, mask in zip(states["n"], states["s"], states["left"], masks)]
        print(json.dumps({"probs": rows}), flush=True)


if __name__ == "__main__":
    main()
