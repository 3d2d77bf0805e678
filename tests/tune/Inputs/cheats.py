"""Kernels that seem faster than they are, or do what kernels must not do: none is accepted, and an honest one is.

usage: cheats.py PROGRAM EXECUTABLE EXPORT

PROGRAM computes c = a b for matrices of 64x64 with a slow schedule. Each cheat is a C file.
"""

import json
import os
import subprocess
import sys

HEAD = """
#define _GNU_SOURCE
#include <halyard/kernel.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define N 64
static void product(const float *a, const float *b, float *c) {
  for (int i = 0; i < N; i++) {
    float row[N] = {0};
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++) row[j] += a[i * N + k] * b[k * N + j];
    memcpy(c + i * N, row, sizeof row);
  }
}
static float one(const float *a, const float *b, int i, int j) {
  float sum = 0;
  for (int k = 0; k < N; k++) sum += a[i * N + k] * b[k * N + j];
  return sum;
}
%s
void %s(const float *a, const float *b, float *c, const hal_workgroup_t *wg) {
  %s
}
"""

# Name: what stands before the kernel, and its body.
CHEATS = {
    "returns at once": ("", "return;"),
    "writes zeros": ("", "memset(c, 0, N * N * 4);"),
    "writes the first row": ("", "for (int j = 0; j < N; j++) c[j] = one(a, b, 0, j);"),
    "leaves the last row out": ("", "product(a, b, c); memset(c + (N - 1) * N, 0x7f, N * 4);"),
    "leaves the last element out": ("", "float last = c[N * N - 1]; product(a, b, c); c[N * N - 1] = last;"),
    "leaves every other element out": (
        "",
        "for (int i = 0; i < N; i++) for (int j = i % 2; j < N; j += 2) c[i * N + j] = one(a, b, i, j);",
    ),
    "works for its first 20 calls": ("static int calls;", "if (calls++ < 20) product(a, b, c);"),
    "works for its first 1000 calls": ("static int calls;", "if (calls++ < 1000) product(a, b, c);"),
    "works every other call": ("static int calls;", "if (calls++ % 2 == 0) product(a, b, c);"),
    "works every tenth call": ("static int calls;", "if (calls++ < 8 || calls % 10 == 0) product(a, b, c);"),
    "remembers its pointers": (
        "static const void *p, *q, *r;",
        "if (p == a && q == b && r == c) return; p = a; q = b; r = c; product(a, b, c);",
    ),
    "remembers its inputs' pointers and the result": (
        "static const void *p, *q; static float kept[N * N];",
        "if (p != a || q != b) { product(a, b, kept); p = a; q = b; } memcpy(c, kept, sizeof kept);",
    ),
    "remembers the first elements": (
        "static float f, g; static float kept[N * N];",
        "if (f != a[0] || g != b[0]) { product(a, b, kept); f = a[0]; g = b[0]; } memcpy(c, kept, sizeof kept);",
    ),
    "remembers a sample of its inputs": (
        "static float f; static float kept[N * N];",
        "float s = 0; for (int i = 0; i < N * N; i += 67) s += a[i] * 3 + b[i];"
        " if (s != f) { product(a, b, kept); f = s; } memcpy(c, kept, sizeof kept);",
    ),
    "remembers a sum of its inputs": (
        "static float f; static float kept[N * N];",
        "float s = 0; for (int i = 0; i < N * N; i++) s += a[i] + b[i];"
        " if (fabsf(s - f) > 1e-3f) { product(a, b, kept); f = s; } memcpy(c, kept, sizeof kept);",
    ),
    "remembers per thread": (
        "static __thread const void *p; static __thread float kept[N * N];",
        "if (p != a) { product(a, b, kept); p = a; } memcpy(c, kept, sizeof kept);",
    ),
    "looks whether the result is there": ("", "if (fabsf(c[0] - one(a, b, 0, 0)) < 1e-4f) return; product(a, b, c);"),
    "looks at three places of the result": (
        "",
        "if (fabsf(c[0] - one(a, b, 0, 0)) < 1e-4f && fabsf(c[777] - one(a, b, 12, 9)) < 1e-4f"
        " && fabsf(c[4095] - one(a, b, 63, 63)) < 1e-4f) return; product(a, b, c);",
    ),
    "works on poisoned results only": (
        "",
        "uint32_t first; memcpy(&first, c, 4); if (first != 0x7f7f7f7f) return; product(a, b, c);",
    ),
    "computes in bf16": (
        "static float cut(float x) { uint32_t u; memcpy(&u, &x, 4); u &= 0xffff0000; memcpy(&x, &u, 4); return x; }",
        "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { float s = 0;"
        " for (int k = 0; k < N; k++) s += cut(a[i * N + k]) * cut(b[k * N + j]); c[i * N + j] = s; }",
    ),
    "leaves every 16th term out": (
        "",
        "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { float s = 0;"
        " for (int k = 0; k < N; k++) if (k % 16) s += a[i * N + k] * b[k * N + j]; c[i * N + j] = s; }",
    ),
    "doubles half of the terms": (
        "",
        "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { float s = 0;"
        " for (int k = 0; k < N; k += 2) s += 2 * a[i * N + k] * b[k * N + j]; c[i * N + j] = s; }",
    ),
    "takes NaN for zero": (
        "",
        "float t[N * N]; for (int i = 0; i < N * N; i++) t[i] = a[i] == a[i] ? a[i] : 0; product(t, b, c);",
    ),
    "takes infinity for a large number": (
        "",
        "float t[N * N]; for (int i = 0; i < N * N; i++) t[i] = isinf(a[i]) ? copysignf(1e30f, a[i]) : a[i]; product(t, b, c);",
    ),
    "is right for whole numbers": (
        "",
        "float t[N * N]; for (int i = 0; i < N * N; i++) t[i] = rintf(a[i]); product(t, b, c);",
    ),
    "clamps its inputs": (
        "",
        "float t[N * N]; for (int i = 0; i < N * N; i++) t[i] = fminf(a[i], 0.9f); product(t, b, c);",
    ),
    "is right on aligned pages": ("", "if ((uintptr_t)c % 4096) return; product(a, b, c);"),
    "writes to its inputs": ("", "product(a, b, c); ((float *)a)[5] = 0;"),
    "uses its input as scratch": ("", "product(a, b, c); memcpy((float *)b, c, N * N * 4);"),
    "writes behind its result": ("", "product(a, b, c); c[N * N] = 1;"),
    "writes before its result": ("", "product(a, b, c); c[-1] = 1;"),
    "reads behind its input": ("volatile float sink;", "product(a, b, c); sink = b[N * N + 1024];"),
    "leaves the work to a thread": (
        "static const float *p, *q; static float *r;"
        " static void *work(void *x) { usleep(2000); product(p, q, r); return x; }",
        "p = a; q = b; r = c; pthread_t t; pthread_create(&t, 0, work, 0); pthread_detach(t);",
    ),
    "leaves a thread behind": (
        "static void *idle(void *x) { for (;;) pause(); return x; } static int begun;",
        "if (!begun++) { pthread_t t; pthread_create(&t, 0, idle, 0); } product(a, b, c);",
    ),
    "leaves a process behind": (
        "static int begun;",
        "if (!begun++ && fork() == 0) { sleep(5); _exit(0); } product(a, b, c);",
    ),
    "changes how the CPU rounds": ("", "fesetround(FE_TOWARDZERO); product(a, b, c);"),
    "flushes denormal numbers": (
        "",
        'product(a, b, c);\n#ifdef __x86_64__\n unsigned m; __asm__ volatile("stmxcsr %0" : "=m"(m));'
        ' m |= 0x8040; __asm__ volatile("ldmxcsr %0" : : "m"(m));\n#else\n fesetround(FE_UPWARD);\n#endif\n',
    ),
    "raises its priority": ("", "product(a, b, c); setpriority(PRIO_PROCESS, 0, 7);"),
    "takes a core for itself": (
        "",
        "product(a, b, c); cpu_set_t s; CPU_ZERO(&s); CPU_SET(sched_getcpu(), &s); sched_setaffinity(0, sizeof s, &s);",
    ),
    "ends the process": ("", "product(a, b, c); syscall(SYS_exit_group, 0);"),
    "crashes": ("", "product(a, b, c); *(volatile int *)8 = 1;"),
    "divides by zero": ("volatile int zero;", "product(a, b, c); zero = (int)(wg->count[0] * 1000) / zero;"),
    "aborts": ("", "product(a, b, c); abort();"),
    "is right for the first workgroup only": (
        "",
        "for (int i = wg->id[0]; i < N; i += 2) for (int j = 0; j < N; j++) c[i * N + j] = one(a, b, i, j);",
    ),
}


def tune(program, executable, files, out):
    command = ["hal-tune", program, "--budget=0", f"--trials={out}", "-q", "-o", os.devnull, "--threads=2"]
    command += [f"--candidate={executable}={file}" for file in files]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"hal-tune failed:\n{done.stderr}")
    return {t["candidate"]: t for t in map(json.loads, open(out))}


def main():
    program, executable, export = sys.argv[1:]
    names = {}
    for i, (name, (before, body)) in enumerate([("honest", ("", "product(a, b, c);")), *CHEATS.items()]):
        file = f"cheat{i}.c"
        names[file] = name
        with open(file, "w") as out:
            out.write(HEAD % (before, export, body))
    trials = tune(program, executable, list(names), "cheats.jsonl")
    accepted = [names[file] for file, trial in trials.items() if trial["outcome"] == "measured"]
    for file, trial in trials.items():
        print(f"{names[file]}: {trial['outcome']} {trial.get('code', '')} {trial.get('reason', '')}")
    unbuilt = [names[file] for file, trial in trials.items() if trial["outcome"] in ("not-built", "skipped")]
    missing = [name for file, name in names.items() if file not in trials]
    if accepted != ["honest"] or unbuilt or missing:
        sys.exit(f"accepted: {accepted}; not built: {unbuilt}; not tried: {missing}")
    print(f"{len(trials) - 1} cheats, none accepted")


if __name__ == "__main__":
    main()
