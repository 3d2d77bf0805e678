"""A client of `hal-tune --serve`: tries schedules and a folder of kernels, lets the search go on, and commits what won.

client.py PROGRAM.mlir TUNED.mlir [FOLDER of C files, whose names begin like the export without its executable]
"""

import json
import pathlib
import subprocess
import sys

program, output, *folders = sys.argv[1:]
command = ["hal-tune", "--serve", program, "-o", output]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def ask(request, **more):
    """Sends a request and returns the answer; an error ends the client."""
    server.stdin.write(json.dumps({"version": 1, "request": request, **more}) + "\n")
    answer = json.loads(server.stdout.readline())
    if "error" in answer:
        sys.exit(f"{request}: {answer['error']['message']}")
    return answer


for item in ask("list")["executables"]:
    name = item["executable"]
    facts = ask("describe", executable=name)
    print(f"{name}: {item['seconds'] * 1e6:.1f} µs, {item['share']:.0%} of a call")

    # Any optimiser, or a model that writes kernels, belongs here.
    candidates = [{"id": f"{{lanes = {n}}}", "schedule": f"{{lanes = {n}}}"} for n in (4, 8, 16)]
    export = facts["export"].removeprefix(name + "_")
    for file in sorted(file for folder in folders for file in pathlib.Path(folder).glob(export + ".*.c")):
        source = file.read_text().replace("EXPORT", facts["export"])
        pathlib.Path(facts["folder"], file.name).write_text(source)
        candidates.append({"id": file.name, "file": file.name})
    for trial in ask("try", executable=name, candidates=candidates)["trials"]:
        print(f"{trial['id']}: {trial['outcome']} {trial.get('ratio', trial.get('reason', ''))}")
        for hot in trial.get("hot", [])[:2]:
            print(f"    {hot['share']:.0%} at {hot['offset']}: {hot['instruction']}")
    search = ask("search", executable=name, candidates=8)
    print(f"search: {search['tried']} tried")

for item in ask("commit")["committed"]:
    winner = item["winner"]
    print(f"winner of {item['executable']}: " + (f"{winner['candidate']}, {winner['ratio']:.3f}" if winner else "none"))
ask("end")
