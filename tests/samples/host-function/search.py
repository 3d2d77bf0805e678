"""Runs model.so with `search.best` in Python: `search.py MODEL LIBHALYARD [MARGIN]`."""

import sys

from halyard_host import Runtime


def best(call):
    """The rows whose score is within the margin of the best one, in order, with their scores."""
    scores, margin = call.input(0), call.input(1)[0]
    if not margin >= 0:
        raise ValueError(f"the margin is {margin:g}, not at least 0")
    rows = [i for i, score in enumerate(scores) if score >= max(scores) - margin]
    call.result(0, [len(rows)])[:] = rows
    call.result(1, [len(rows)])[:] = [scores[i] for i in rows]


def main():
    model, library = sys.argv[1:3]
    margin = float(sys.argv[3]) if len(sys.argv) > 3 else 2.0
    signature = "(tensor<?xf32>, f32) -> (tensor<?xi64>, tensor<?xf32>)"
    program = Runtime(library).load(model, {"search.best": (signature, best)})
    # Document i is about theme i % 4, the fifth one most of all.
    documents = [float(column == row % 4) * (2 if row == 5 else 1) for row in range(6) for column in range(8)]
    query = [0, 3, 0, 0, 0, 0, 0, 0]
    rows, weights = program.call("main", [("f32", [6, 8], documents), ("f32", [8], query), ("f32", [], [margin])])
    for row, weight in zip(rows[2], weights[2]):
        print(f"document {row}: {weight:.3f}")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"search.py: {error}")
