"""XGBoost and LightGBM, by onnxmltools."""

import lightgbm
import numpy as np
import xgboost
from onnxmltools import convert_lightgbm, convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType

from .entry import ROWS, Entry, classes, target


def by(converter):
    """Converts by a function of onnxmltools."""

    def write(model, columns):
        words = {"zipmap": False} if converter is convert_lightgbm else {}
        return converter(model, initial_types=[("x", FloatTensorType([None, columns]))], target_opset=15, **words)

    return write


def missing(make):
    """Rows with numbers that are missing, by which trees branch as well."""

    def data():
        x, y = make()
        x[np.random.default_rng(1).random(x.shape) < 0.2] = np.nan
        return x, y

    return data


def codes():
    """Rows whose first columns are categories, which `categorical_feature` says."""
    x = np.random.default_rng(2).integers(0, 12, (ROWS, 3)).astype(np.float32)
    return x, (np.isin(x[:, 0], [1, 4, 7, 11]) ^ (x[:, 1] > 6)).astype(np.int64)


def logistic():
    x, y = target()()
    return x, 1 / (1 + np.exp(-y))


def zeros():
    x, y = target()()
    x[np.random.default_rng(1).random(x.shape) < 0.2] = 0
    return x, y


SMALL = {"n_estimators": 6, "max_depth": 4}
X = {
    "xgb-classifier-2": (lambda: xgboost.XGBClassifier(**SMALL), classes(2)),
    "xgb-classifier-4": (lambda: xgboost.XGBClassifier(**SMALL), classes(4)),
    "xgb-missing": (lambda: xgboost.XGBClassifier(**SMALL), missing(classes(3))),
    "xgb-forest-classifier": (lambda: xgboost.XGBRFClassifier(**SMALL), classes(2)),
    "xgb-hinge": (lambda: xgboost.XGBClassifier(objective="binary:hinge", **SMALL), classes(2)),
    "xgb-softprob": (lambda: xgboost.XGBClassifier(objective="multi:softprob", **SMALL), classes(3)),
    "xgb-regressor": (lambda: xgboost.XGBRegressor(**SMALL), target()),
    "xgb-regressor-logistic": (lambda: xgboost.XGBRegressor(objective="reg:logistic", **SMALL), logistic),
    "xgb-poisson": (lambda: xgboost.XGBRegressor(objective="count:poisson", **SMALL), target(positive=True)),
    "xgb-gamma": (lambda: xgboost.XGBRegressor(objective="reg:gamma", **SMALL), target(positive=True)),
    "xgb-tweedie": (lambda: xgboost.XGBRegressor(objective="reg:tweedie", **SMALL), target(positive=True)),
    "xgb-forest-regressor": (lambda: xgboost.XGBRFRegressor(**SMALL), target()),
    "xgb-missing-regressor": (lambda: xgboost.XGBRegressor(**SMALL), missing(target())),
}
L = {
    "lgbm-classifier-2": (lambda: lightgbm.LGBMClassifier(verbose=-1, **SMALL), classes(2)),
    "lgbm-classifier-4": (lambda: lightgbm.LGBMClassifier(verbose=-1, **SMALL), classes(4)),
    "lgbm-missing": (lambda: lightgbm.LGBMClassifier(verbose=-1, **SMALL), missing(classes(3))),
    "lgbm-categories": (lambda: lightgbm.LGBMClassifier(verbose=-1, min_data_per_group=1, cat_smooth=1, min_child_samples=2, max_cat_to_onehot=1, categorical_feature=[0, 1], **SMALL), codes),
    "lgbm-forest": (lambda: lightgbm.LGBMClassifier(boosting_type="rf", subsample=0.7, subsample_freq=1, verbose=-1, **SMALL), classes(2)),
    "lgbm-dart": (lambda: lightgbm.LGBMClassifier(boosting_type="dart", verbose=-1, **SMALL), classes(3)),
    "lgbm-ova": (lambda: lightgbm.LGBMClassifier(objective="multiclassova", verbose=-1, **SMALL), classes(3)),
    "lgbm-regressor": (lambda: lightgbm.LGBMRegressor(verbose=-1, **SMALL), target()),
    "lgbm-missing-regressor": (lambda: lightgbm.LGBMRegressor(verbose=-1, **SMALL), missing(target())),
    "lgbm-poisson": (lambda: lightgbm.LGBMRegressor(objective="poisson", verbose=-1, **SMALL), target(positive=True)),
    "lgbm-gamma": (lambda: lightgbm.LGBMRegressor(objective="gamma", verbose=-1, **SMALL), target(positive=True)),
    "lgbm-quantile": (lambda: lightgbm.LGBMRegressor(objective="quantile", verbose=-1, **SMALL), target()),
    "lgbm-zero-missing": (lambda: lightgbm.LGBMRegressor(zero_as_missing=True, verbose=-1, **SMALL), zeros),
}  # fmt: skip


ENTRIES = [
    *(Entry(name, make, data, convert=by(convert_xgboost)) for name, (make, data) in X.items()),
    *(Entry(name, make, data, convert=by(convert_lightgbm)) for name, (make, data) in L.items()),
]
