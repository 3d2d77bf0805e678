"""Estimators of scikit-learn, XGBoost and LightGBM, and pipelines of them, trained on small random data."""

from . import boosters, classifiers, pipelines, regressors, transformers

ENTRIES = [*classifiers.ENTRIES, *regressors.ENTRIES, *transformers.ENTRIES, *pipelines.ENTRIES, *boosters.ENTRIES]
