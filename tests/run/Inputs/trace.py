"""Reads a trace of hal-run with a decoder of its own, and checks what any trace must be. Prints tracks and slices.

Field numbers: https://github.com/google/perfetto/blob/main/protos/perfetto/trace/trace_packet.proto and track_event/.
"""

import collections
import struct
import sys


def fields(data):
    """The fields of a message, by number: integers, and bytes."""
    found, at = collections.defaultdict(list), 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif key & 7 == 2:
            length = varint()
            value, at = data[at : at + length], at + length
            assert len(value) == length
        else:
            raise ValueError(f"wire type {key & 7}")
        found[key >> 3].append(value)
    return found


names, stacks, last, ran, groups, kinds = (
    {},
    collections.defaultdict(list),
    {},
    collections.Counter(),
    {},
    collections.Counter(),
)
for packet in fields(open(sys.argv[1], "rb").read())[1]:
    packet = fields(packet)
    if packet[60]:
        track = fields(packet[60][0])
        if track[3]:
            print("process", fields(track[3][0])[6][0].decode())
        if track[4]:
            names[track[1][0]] = fields(track[4][0])[5][0].decode()
            print("thread", names[track[1][0]])
        if track[2]:
            names[track[1][0]] = track[2][0].decode()
            print("track", names[track[1][0]])
        continue
    time, event = packet[8][0], fields(packet[11][0])
    track = event[11][0]
    assert time >= last.get(track, 0), "times of a track never go back"
    last[track] = time
    if event[9] == [2]:
        stacks[track].pop()
        continue
    name, category = event[23][0].decode(), event[22][0].decode()
    about = {
        fields(a)[10][0].decode(): (fields(a)[3] or [None])[0] if fields(a)[3] else fields(a)[6][0].decode()
        for a in event[4]
    }
    if category == "kernel":
        assert about["key"] and about["executable"]
        ran[about["dispatch"]] += about["workgroups here"]
        groups[about["dispatch"]] = eval(about["workgroups"].replace("x", "*"))
    assert (category == "call") == (stacks[track] == [] and names[track] == "host program") or names[
        track
    ] != "host program"
    if category in ("dispatch", "kernel"):
        assert event[47] == [about["dispatch"] + 1], "a flow leads from the command to its workgroups"
    kinds[category] += category != "kernel"
    if category == "dispatch":
        print("  " * len(stacks[track]) + name, "from", about.get("origin", "-"))
    stacks[track].append(name)
assert not any(stacks.values()), "every slice ends"
assert ran == groups, "all workgroups of each dispatch ran, once"
print("all workgroups of", len(ran), "dispatches ran")
print("calls", kinds["call"], "dispatches", kinds["dispatch"])
