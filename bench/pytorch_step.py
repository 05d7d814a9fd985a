#!/usr/bin/env python3
"""One training iteration of the paper's size in PyTorch on the CPU, in float32: what `mapo bench` is compared with.

The same network (3|X|-256-256-256-256-|X|, leaky ReLU), the same games (thresholds, M instances x L rollouts of T
answers), the same gradient (Eq. 11 with leave-one-out baselines, simple regret) and Adam. Rollouts run in one batch
without autograd and keep their states; the backward pass runs over all states in chunks.

Prints one JSON object. Debian: apt-get install python3-torch libopenblas0-pthread, and run it with /usr/bin/python3;
with the reference BLAS alone PyTorch is some twenty times slower. Exits with 77 where there is no PyTorch."""
import argparse
import json
import os
import sys
import time

MISSING = 77

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    print("skipped: there is no PyTorch here (Debian: apt-get install python3-torch, then /usr/bin/python3)", file=sys.stderr)
    sys.exit(MISSING)


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--queries", type=int, default=25)
    ap.add_argument("--rollouts", type=int, default=10000)
    ap.add_argument("--budget", type=int, default=20)
    ap.add_argument("--threads", type=int, default=0, help="0: all cores")
    ap.add_argument("--seconds", type=float, default=10, help="how long to go on, but for at least three iterations")
    ap.add_argument("--chunk", type=int, default=2000, help="states that pass the network at a time")
    return ap.parse_args()


def blas():
    """The libraries that multiply matrices, as loaded."""
    with open("/proc/self/maps") as maps:
        names = {line.rsplit("/", 1)[-1].strip() for line in maps}
    return sorted(n for n in names if n.startswith(("libblas", "libopenblas", "libblis", "libmkl", "libatlas", "libdnnl")))


class Iteration:
    def __init__(self, queries, rollouts, budget, chunk):
        self.d, self.games, self.budget, self.chunk = queries, rollouts, budget, chunk
        each = 10 if queries <= 25 else 30  # L
        while rollouts % each:
            each -= 1
        self.each = each
        sizes = [3 * queries, 256, 256, 256, 256, queries]
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.LeakyReLU(0.01, inplace=True)]
        self.net = nn.Sequential(*layers[:-1])
        for m in self.net:
            if isinstance(m, nn.Linear):
                nn.init.xavier_normal_(m.weight, gain=0.01)
                nn.init.zeros_(m.bias)
        self.adam = torch.optim.Adam(self.net.parameters(), lr=1e-4)
        self.z = torch.tril(torch.ones(queries + 1, queries), -1)  # z_k is 1 on the first k queries
        self.index = torch.arange(rollouts)
        self.states = torch.empty(budget, rollouts, queries, 3)
        self.asked = torch.empty(budget, rollouts, dtype=torch.long)
        self.noise = torch.empty(rollouts, queries)

    def forward(self, states):
        """The logits, in chunks: larger temporaries are given back to the system and asked for again."""
        return torch.cat([self.net(part) for part in states.split(self.chunk)])

    @torch.no_grad()
    def rollout(self):
        """Plays all games and returns the simple regret of each."""
        i, d = self.index, self.d
        theta = (torch.rand(self.games // self.each, d) * 2 - 1).repeat_interleave(self.each, 0)
        yes = (1 + theta) / 2
        state = torch.zeros(self.games, d, 3)  # n, 1/n, sum
        for t in range(self.budget):
            self.states[t].copy_(state)
            logits = self.forward(state.view(self.games, 3 * d))
            asked = logits.sub_(self.noise.exponential_().log_()).argmax(1)  # Gumbel: faster than multinomial
            self.asked[t] = asked
            n = state[i, asked, 0] + 1
            state[i, asked, 0] = n
            state[i, asked, 1] = 1 / n
            state[i, asked, 2] += torch.where(torch.rand(self.games) < yes[i, asked], 1.0, -1.0)
        values = theta @ self.z.T
        best = ((state[:, :, 2] * state[:, :, 1]) @ self.z.T).argmax(1)
        return values.max(1).values - values[i, best]

    def learn(self, loss):
        """Adds up Eq. 11 and takes Adam's step."""
        weight = loss
        if self.each > 1:
            of = loss.view(-1, self.each)
            weight = ((of - of.mean(1, keepdim=True)) * (self.each / (self.each - 1))).view(-1)
        weight = weight.repeat(self.budget) / self.games
        states, asked = self.states.view(-1, 3 * self.d), self.asked.view(-1)
        self.adam.zero_grad(set_to_none=True)
        for lo in range(0, len(asked), self.chunk):
            part = slice(lo, lo + self.chunk)
            score = functional.cross_entropy(self.net(states[part]), asked[part], reduction="none")
            score.dot(weight[part]).neg().backward()
        self.adam.step()

    def run(self):
        self.learn(self.rollout())


def main():
    a = arguments()
    if a.threads > 0:
        torch.set_num_threads(a.threads)
    else:
        torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(0)
    it = Iteration(a.queries, a.rollouts, a.budget, a.chunk)
    it.run()
    seconds, begin = [], time.perf_counter()
    while len(seconds) < 3 or time.perf_counter() - begin < a.seconds:
        last = time.perf_counter()
        it.run()
        seconds.append(time.perf_counter() - last)
    seconds.sort()
    n = len(seconds)
    median = (seconds[(n - 1) // 2] + seconds[n // 2]) / 2
    print(json.dumps({
        "torch": torch.__version__, "blas": blas(), "threads": torch.get_num_threads(), "precision": "f32",
        "queries": a.queries, "rollouts": a.rollouts, "budget": a.budget,
        "seconds_min": seconds[0], "seconds_median": median, "seconds_max": seconds[-1],
        "steps_per_second": a.rollouts * a.budget / median,
    }))


if __name__ == "__main__":
    main()
