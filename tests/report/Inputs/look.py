"""Reads a report and checks what any report must be. Prints what is in it. usage: look.py REPORT.html [TEXT…]: texts to print."""

import base64
import gzip
import json
import re
import sys

html = open(sys.argv[1]).read()
assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", html), "nothing is loaded"
assert len(html) < 2 << 20
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)[1])
texts = {
    n: gzip.decompress(base64.b64decode(t)).decode()
    for n, t in re.findall(r'<script type="text/plain" data-text="(.*?)">(.*?)</script>', html)
}

nodes, kernels = data["nodes"], data["executables"]
assert [k["uses"] for k in kernels] == [sum(n.get("e") == i for n in nodes) for i in range(len(kernels))]
for level in data["levels"]:
    at = [tuple(p) for p in level["at"]]
    assert len(at) == len(level["names"]) == max(level["group"], default=-1) + 1 and len(set(at)) == len(at)
    assert level["group"] == sorted(level["group"]), "groups are consecutive"
    assert all(at[a][1] < at[b][1] for a, b, _ in level["edges"]), "edges lead down"
    assert all(0 <= x <= level["width"] and 0 <= y <= level["height"] for x, y in at)
for i, a in enumerate(data["memory"]):
    assert a["offset"] + a["bytes"] <= data["arena"] and a["first"] <= a["last"] < len(nodes)
    for b in data["memory"][:i]:
        apart = a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
        assert apart or a["last"] < b["first"] or b["last"] < a["first"], "what lives at the same time lies apart"

print("programs", *data["programs"])
print("signature", data["signature"])
for node in nodes:
    print("node", node["k"], node["n"], node.get("v", "-"), *node.get("r", []))
for a, b, size in data["levels"][-1]["edges"]:
    print("edge", nodes[a]["n"], "->", nodes[b]["n"], size)
print("levels", *(f"{level['name']}: {len(level['names'])};" for level in data["levels"]))
print("transients", len(data["memory"]), "arena", data["arena"])
for k in kernels:
    print("kernel", k["export"], k["key"], *k["origin"], "flops", k["flops"], "measured", k["total"] is not None)
    if k["total"] is not None:
        [time] = k["times"]
        assert time["time"]["interval"][0] <= time["time"]["median"] <= time["time"]["interval"][1]
        assert time["calls"] == k["uses"] and abs(time["time"]["median"] * time["calls"] - k["total"]) < 1e-8
        assert 0 <= k["share"] <= 1 and len(time["time"]["samples"]) == len(data["calls"][0]["samples"])
    if k["hot"]:
        lines, counts = texts[k["symbol"]].splitlines(), [n for _, n in k["hot"]["lines"]]
        assert sum(counts) == k["hot"]["samples"] and min(counts) > 0
        assert all(lines[i].startswith("    ") for i, _ in k["hot"]["lines"]), "samples are on instructions"
        threads = k["hot"]["threads"]
        assert threads >= 1
        print(
            "hot", k["export"], "in", len(counts), "instructions", "on", threads, "threads" if threads > 1 else "thread"
        )
    for t in k["tuning"]:
        assert len(t["trials"]) <= 300 and (t["left_out"] == 0 or len(t["trials"]) == 300)
        print(
            "tuning", k["export"], t["target"], "trials", len(t["trials"]), "in order" if t["in_order"] else "by speed"
        )
        for trial in t["trials"]:
            ratio = trial["ratio"]
            assert not ratio or ratio["interval"][0] <= ratio["speedup"] <= ratio["interval"][1]
            print("trial", trial["kind"], trial["candidate"], trial["outcome"], "timed" if ratio else "not timed")
        if t["winner"]:
            print("winner", t["winner"][0], t["winner"][1]["speedup"])
    if k["against"]:
        print("against", "same" if k["against"]["same"] else "other", "code")
if data["timeline"]:
    t = data["timeline"]
    assert len(t["dispatches"]) == sum(n["k"] == "dispatch" for n in nodes)
    ran = {d for track in t["tracks"] for *_, d, kind in track["spans"] if kind == 0}
    assert ran == set(range(len(t["dispatches"]))), "every dispatch ran somewhere"
    print("tracks", *(track["name"] + ";" for track in t["tracks"]))
    print("calls", *(len(c["samples"]) for c in data["calls"]))
print("texts", *sorted(texts))
for name in sys.argv[2:]:
    print(f"text {name}\n{texts[name]}")
