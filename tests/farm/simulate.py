#!/usr/bin/env python3
"""Simulates builds of many executables on many machines: time, cost, and traffic of the shared cache.

Executables and the work of the machine that sends them are drawn from `measured.json` (`measure.py` makes it). Jobs are made, sent
again and doubled as `common/exec/src/launch/queue.rs` does, whose choice of sizes must be that of `Queue.size`: both are compared
with `Inputs/job-sizes.txt`. `--before` has the rules as they were before this simulation. One seed gives one output.

usage: simulate.py [--executables 1000,…] [--workers 1,10,…] [--hits 0.0] [--losses 0.0003]
                   [--seed 1] [--before] [--json] [--check-sizes FILE]
"""

import argparse
import heapq
import itertools
import json
import math
import os
from collections import Counter
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
# As in queue.rs: seconds, executables, seconds, times, seconds.
LEAST, FIRST, LAUNCH, TRIES, PAUSE = 0.1, 4, 0.002, 4, 0.1


@dataclass
class World:
    """What is assumed, and not measured; seconds and bytes."""

    cores: int = 4  # of the machine that sends
    srun: float = 0.05  # from the command to the start of the worker, and back
    slow: float = 0.01  # this part of the jobs takes five times as long
    lost: float = 1 / 3600  # losses of a worker in a second of work; every other one hangs
    timeout: float = 600.0  # of a job
    latency: float = 0.002  # of a request to the store, of which 16 run at once
    bandwidth: float = 125e6  # of the store, in bytes a second
    rate: float = 5000.0  # of the store, in requests a second
    price: float = 0.04 / 3600  # of a second of a core


class Queue:
    """What `queue.rs` decides."""

    def __init__(self, count, workers, cores, before):
        self.count, self.workers, self.cores, self.before = count, workers, cores, before
        self.fresh, self.items, self.work, self.around, self.jobs, self.longest = 0, 0, 0.0, 0.0, 0, 0.0

    def size(self):
        """The executables of the next job."""
        left = self.count - self.fresh
        each = max(self.work / self.items, 1e-4) if self.items else None
        if self.before:
            wanted = max(LEAST, 2 * self.around / max(self.jobs, 1))
            least = math.ceil(wanted / each - 1e-9) if each else FIRST
            fair = left // (2 * self.workers)
            return max(1, min(max(least, min(fair, 8 * least)), left))
        if not each:
            return max(1, min(FIRST, left))
        rest = left * each
        cost = max(LAUNCH / self.cores, self.around / self.jobs / self.workers)
        wanted = max(LEAST, min(math.sqrt(rest * cost), rest / self.workers))
        return max(1, min(math.ceil(wanted / each - 1e-9), left))

    def patience(self, items):
        """Seconds after which a job is sent once more, if nothing else is left to send."""
        if self.before:
            return max(20.0, 5 * self.longest)
        if not self.items:
            return 20.0
        return max(3.0, 5 * (self.around / self.jobs + items * self.work / self.items))


class Build:
    def __init__(self, count, workers, hits, seed, before, world):
        self.w, self.rng = world, np.random.default_rng([seed, count, workers])
        with open(os.path.join(HERE, "measured.json"), encoding="utf-8") as f:
            measured = json.load(f)
        rows = np.array(measured["executables"])
        drawn = rows[self.rng.integers(len(rows), size=count)]
        self.own = {name: ms / 1e3 for name, ms in measured["coordinator"].items()}
        cached = self.rng.random(count) < hits
        self.total, self.hits, self.workers, self.before = count, int(cached.sum()), workers, before
        self.entries = (drawn[:, 2][cached], drawn[:, 2][~cached])
        # Of executables from the first on: the work, and the bytes that are sent and come back.
        missing = drawn[~cached]
        self.sums = np.vstack([np.zeros(3), np.cumsum(missing * [1e-3, 1, 1], axis=0)])

    def store(self, sizes, requests):
        """Seconds that the store takes for so many entries, each with so many requests: what is scarcest decides."""
        count = len(sizes) * requests
        return max(count * self.w.latency / 16, count / self.w.rate, float(sizes.sum()) / self.w.bandwidth)

    def run(self):
        misses = self.total - self.hits
        asked = self.store(self.entries[0], 2) + self.store(np.zeros(misses), 1)
        limit = 30.0 if self.before else 30.0 + 0.005 * self.total
        given = min(1.0, limit / asked) if asked else 1.0
        if given < 1.0 and self.hits:
            # What the store did not give in time is translated: executables like the others.
            late = int(self.hits * (1 - given))
            more = self.entries[0][:late]
            works = self.rng.choice(np.diff(self.sums[:, 0]) if misses else np.array([0.03]), late)
            rows = np.column_stack([works, np.full(late, 1100.0), more])
            self.sums = np.vstack([self.sums, self.sums[-1] + np.cumsum(rows, axis=0)])
            self.hits, misses = self.hits - late, misses + late
        lookup = min(asked, limit)
        before = self.total * (self.own["import"] + self.own["hit"]) + lookup
        farm = self.farm(misses)
        added = min(self.store(np.diff(self.sums[:, 2]), 2), limit - lookup)
        link = self.total * self.own["link"]
        work = float(self.sums[-1, 0])
        own = self.total * (self.own["import"] + self.own["hit"] + self.own["link"]) + farm["own"]
        return {
            "executables": self.total,
            "workers": self.workers,
            "translated": misses,
            "from cache": self.hits,
            "makespan": before + farm["seconds"] + added + link,
            "alone": before + misses * self.own["send"] + work + added + link,
            "import and keys": before - lookup,
            "store": lookup + added,
            "farm": farm["seconds"],
            "link": link,
            "work": work,
            "own": own,
            "jobs": farm["jobs"],
            "lost": farm["lost"],
            "doubled": farm["doubled"],
            "here": farm["here"],
            "cost": (own + farm["busy"]) * self.w.price,
            "store requests": 2 * self.hits + misses + 2 * misses,
            "store bytes": float(self.entries[0].sum() + self.sums[-1, 2]),
            "launcher bytes": float(self.sums[-1, 1] + self.sums[-1, 2]),
        }

    def farm(self, count):
        """Sends executables until each has a result, as `queue.rs` does, in events."""
        w, queue, rng = self.w, Queue(count, self.workers, self.w.cores, self.before), self.rng
        cores, number = [0.0] * w.cores, itertools.count()
        send = max(self.own["send"] - self.own["hit"], 0.0)
        own = busy = 0.0
        events, again, waits, done, running, copies = [], [], [], {}, {}, Counter()
        idle, now, here, lost, doubled = self.workers, 0.0, 0, 0, 0

        def spend(at, seconds):
            """Takes a core of this machine. Returns when it is done."""
            nonlocal own
            own += seconds
            start = max(at, heapq.heappop(cores))
            heapq.heappush(cores, start + seconds)
            return start + seconds

        def start(batch):
            nonlocal idle, busy, lost
            first, to, tries = batch
            job = next(number)
            work = (self.sums[to, 0] - self.sums[first, 0]) * (5.0 if rng.random() < w.slow else 1.0)
            sent = spend(now, self.own["launch"] + send * (to - first))
            fails = rng.exponential(1 / w.lost) if w.lost else math.inf
            whole = self.own["worker"] + work
            busy += min(whole, fails)
            end, result = sent + w.srun + whole, "done"
            if fails < whole:
                hangs = rng.random() < 0.5
                end, result = (now + w.timeout if hangs else sent + w.srun + fails), "lost"
            idle -= 1
            running[job] = (batch, now, work)
            copies[first] += 1
            heapq.heappush(waits, (now + queue.patience(to - first), job))
            heapq.heappush(events, (end, job, result))

        while True:
            while idle:
                if again and again[0][0] <= now:
                    start(heapq.heappop(again)[1])
                elif queue.fresh < count:
                    first = queue.fresh
                    queue.fresh += queue.size()
                    start((first, queue.fresh, 0))
                else:
                    break
            if queue.fresh == count and idle:
                # Nothing is left to send: what takes far longer than others is sent once more.
                while idle and waits and waits[0][0] <= now:
                    job = heapq.heappop(waits)[1]
                    if job not in running:
                        continue
                    (first, to, tries), since, _ = running[job]
                    if now <= since + queue.patience(to - first):
                        heapq.heappush(waits, (since + queue.patience(to - first) + 1e-6, job))
                    elif copies[first] == 1:
                        start((first, to, tries + 1))
                        doubled += 1
            if not running and not again:
                break
            times = [events[0][0]] if events else []
            times += [again[0][0]] if again and idle else []
            if queue.fresh == count and idle:
                times += [waits[0][0]] if waits else []
            now = max(now, min(times))
            while events and events[0][0] <= now:
                _, job, result = heapq.heappop(events)
                if job not in running:
                    continue
                (first, to, tries), since, work = running.pop(job)
                idle += 1
                copies[first] -= 1
                if result == "done":
                    heard = spend(now, send * (to - first) / 4)
                    queue.items, queue.work = queue.items + to - first, queue.work + work
                    queue.around, queue.jobs = queue.around + heard - since - work, queue.jobs + 1
                    queue.longest = max(queue.longest, heard - since)
                    done[first] = to
                    for other in [j for j, (b, _, _) in running.items() if b[0] == first] if copies[first] else []:
                        del running[other]
                        copies[first] -= 1
                        idle += 1
                else:
                    lost += 1
                    alone = not copies[first]
                    if alone and tries + 1 < TRIES:
                        pause = PAUSE * 6 ** min(tries, 8) + 0.007 * (job % 16)
                        heapq.heappush(again, (now + pause, (first, to, tries + 1)))
                    elif alone:
                        # Translated here in the end.
                        here += to - first
                        done[first] = to
                        now = spend(now, work)
        assert sum(to - first for first, to in done.items()) == count, "an executable has no result"
        return {
            "seconds": max([now, *cores]) if count else 0.0,
            "jobs": next(number),
            "own": own,
            "busy": busy,
            "lost": lost,
            "doubled": doubled,
            "here": here,
        }


def check_sizes(path):
    """Compares `Queue.size` with a table; returns how many lines it has."""
    with open(path, encoding="utf-8") as f:
        rows = [line.split() for line in f if line.strip() and not line.startswith("#")]
    for row in rows:
        left, workers, cores, items, jobs = map(int, row[:5])
        queue = Queue(left, workers, cores, before=False)
        queue.items, queue.jobs, queue.work, queue.around = items, jobs, int(row[5]) / 1e6, int(row[6]) / 1e6
        found = queue.size()
        assert found == int(row[7]), f"{path}: {' '.join(row)}: {found}"
    return len(rows)


def main():
    numbers = lambda text: [int(n) for n in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executables", type=numbers, default=[1000, 10000, 100000, 1000000])
    parser.add_argument("--workers", type=numbers, default=[1, 10, 100, 1000, 10000])
    parser.add_argument("--hits", type=float, default=0.0, help="the part that the shared cache has")
    parser.add_argument("--losses", type=float, default=World.lost, help="of a worker in a second of its work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--before", action="store_true")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each build")
    parser.add_argument("--check-sizes", metavar="FILE")
    args = parser.parse_args()
    if args.check_sizes:
        print(f"{check_sizes(args.check_sizes)} sizes agree")
        return
    titles = "executables,workers,makespan,speedup,import and keys,store,farm,link,jobs,lost".split(",")
    if not args.json:
        print("  ".join(titles + ["doubled", "cost $", "store GB"]))
    for count, workers in itertools.product(args.executables, args.workers):
        row = Build(count, workers, args.hits, args.seed, args.before, World(lost=args.losses)).run()
        if args.json:
            print(json.dumps({k: round(v, 9) for k, v in row.items()}))
            continue
        row["speedup"] = row["alone"] / row["makespan"]
        text = lambda title: f"{row[title]:.1f}" if isinstance(row[title], float) else str(row[title])  # noqa: B023
        cells = [text(t).rjust(len(t)) for t in titles] + [f"{row['doubled']:7}", f"{row['cost']:6.2f}"]
        print("  ".join([*cells, f"{row['store bytes'] / 1e9:8.2f}"]))


if __name__ == "__main__":
    main()
