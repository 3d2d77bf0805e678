"""A generator for hal-tune: Optuna's sampler (pip install optuna) over the legal values of the first nest.

usage: hal-tune program.mlir --generator='python3 optuna_search.py' --budget=200
"""

import json
import sys

import optuna

optuna.logging.set_verbosity(optuna.logging.WARNING)
study, executable, open_trials = None, None, {}


def value(trial, key, choice):
    legal = choice["legal"]
    if isinstance(legal, dict):
        return [trial.suggest_categorical(f"{key}{i}", each) for i, each in enumerate(legal["each"])]
    return trial.suggest_categorical(key, legal)


def text(setting):
    return json.dumps(setting) if isinstance(setting, (str, bool, list)) else str(setting)


for line in sys.stdin:
    question = json.loads(line)
    if question["executable"] != executable:
        executable, open_trials = question["executable"], {}
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    for told in question["trials"]:
        trial = open_trials.pop(told["id"], None)
        if trial is None:
            continue
        if told["outcome"] == "measured":
            study.tell(trial, told["ratio"])
        elif told["outcome"] == "same-code":
            study.tell(trial, 1.0)
        else:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
    candidates = []
    # Keys that decide which others there are stay as they are.
    keys = {k: c for k, c in question["space"][0].items() if k in ("tile", "workgroups", "store", "pack")}
    for _ in range(8 if len(study.trials) < 200 else 0):
        trial = study.ask()
        schedule = ", ".join(f"{key} = {text(value(trial, key, choice))}" for key, choice in keys.items())
        open_trials[str(trial.number)] = trial
        candidates.append({"id": str(trial.number), "schedule": f"{{{schedule}}}"})
    print(json.dumps({"candidates": candidates}), flush=True)
