"""Threads, forks, memory: what a service relies on."""

import os
import resource
import threading
import time
import unittest

import halyard
import numpy as np
from programs import ADD, COUNTER, HOST, SUM


class Threads(unittest.TestCase):
    def test_calls_at_once(self):
        program = halyard.compile(ADD, threads=1)
        wrong = []

        def work(seed):
            rng = np.random.default_rng(seed)
            for _ in range(200):
                x = rng.standard_normal((rng.integers(1, 9), 4)).astype(np.float32)
                if not np.array_equal(program(x, x[0]), x + x[0]):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(wrong, [])
        self.assertLessEqual(program._native.idle_instances, 8)

    def test_other_threads_run_during_a_call(self):
        program = halyard.compile(SUM, threads=1)
        x = halyard.empty((1 << 26,), "f32")
        program(x)
        running, done = threading.Event(), []

        def call():
            running.set()
            start = time.perf_counter()
            for _ in range(10):
                program(x)
            done.append((start, time.perf_counter()))

        thread = threading.Thread(target=call)
        thread.start()
        running.wait()
        ticks = []
        while not done:
            ticks.append(time.perf_counter())
            time.sleep(0)
        thread.join()
        (start, end) = done[0]
        inside = [t for t in ticks if start < t < end]
        gaps = [b - a for a, b in zip(inside, inside[1:])]
        # A call that kept the interpreter would leave one gap for each.
        self.assertLess(sum(sorted(gaps)[-10:]), (end - start) / 2)

    def test_memory_is_shared_where_it_is_aligned(self):
        program = halyard.compile(SUM, threads=1)
        program(np.zeros(8, np.float32))
        size = 1 << 26
        aligned = halyard.empty((size,), "f32")
        aligned[:] = 1
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.assertEqual(program(aligned), size)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, size // 1024)
        odd = np.ones(size + 1, np.float32)[1:]
        self.assertEqual(program(odd), size)

    def test_memory_is_flat(self):
        program = halyard.compile(ADD, threads=1)
        x = np.ones((1000, 4), np.float32)

        def resident():
            return int(open("/proc/self/statm").read().split()[1]) * 4096

        for _ in range(500):
            program(x, x[0])
        before = resident()
        for _ in range(5000):
            program(x, y=x[0])
        self.assertLess(resident() - before, 4 << 20)

    def test_a_forked_process_calls(self):
        program = halyard.compile(SUM, threads=2)
        x = np.ones(1 << 20, np.float32)
        self.assertEqual(program(x), 1 << 20)
        child = os.fork()
        if child == 0:
            os._exit(0 if program(x) == 1 << 20 else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


class Sessions(unittest.TestCase):
    def test_sessions_have_their_own_state(self):
        program = halyard.compile(COUNTER)
        self.assertEqual([(s.name, s.dtype, s.shape) for s in program.states], [("count", "i32", ())])
        a, b = program.session(), program.session()
        self.assertEqual([int(a(2)), int(a(3)), int(b(10))], [2, 5, 10])
        self.assertEqual((int(a.state("count")), int(b.state("count"))), (5, 10))
        a.set_state("count", np.int32(100))
        self.assertEqual(int(a(x=1)), 101)
        a.reset()
        self.assertEqual(int(a(1)), 1)
        with self.assertRaisesRegex(halyard.InputError, "state `count`: expected `i32`"):
            a.set_state("count", np.float32(1))

    def test_host_functions(self):
        def top(x):
            return np.sort(x)[::-1][:2].copy()

        program = halyard.compile(HOST, functions={"my.top": ("(tensor<?xf32>) -> tensor<?xf32>", top)})
        np.testing.assert_array_equal(program(np.float32([3, 1, 4, 1, 5])), [5, 4])

        def fails(x):
            raise KeyError("nothing there")

        program = halyard.compile(HOST, functions={"my.top": ("(tensor<?xf32>) -> tensor<?xf32>", fails)})
        with self.assertRaisesRegex(halyard.Error, "nothing there") as caught:
            program(np.float32([1]))
        self.assertIsInstance(caught.exception.__cause__, KeyError)

        def wrong(x):
            return x.astype(np.float64)

        program = halyard.compile(HOST, functions={"my.top": ("(tensor<?xf32>) -> tensor<?xf32>", wrong)})
        with self.assertRaisesRegex(halyard.Error, "result 0 has elements of `f64`, the program expects `f32`"):
            program(np.float32([1]))


unittest.main()
