"""Pipelines as people write them: columns of several types, scaled, encoded, joined, classified."""

import numpy as np
from sklearn import (
    calibration,
    compose,
    decomposition,
    ensemble,
    feature_extraction,
    feature_selection,
    impute,
    linear_model,
    model_selection,
    naive_bayes,
    neighbors,
    neural_network,
    pipeline,
    preprocessing,
    svm,
    tree,
)

from .entry import ROWS, Entry, classes, labels, target

PLAIN = {"zipmap": False}
steps = pipeline.make_pipeline


def mixed(words=False):
    """Numbers, codes and, if wanted, words, as columns."""

    def make():
        r = np.random.default_rng(9)
        x, y = classes(3)()
        columns = {"age": x[:, :1], "income": np.where(r.random((ROWS, 1)) < 0.1, np.nan, x[:, 1:2]).astype(np.float32),
                   "code": r.integers(0, 5, (ROWS, 1)), "flag": (x[:, 2:3] > 0).astype(np.int64)}  # fmt: skip
        if words:
            columns["city"] = np.array(["Rome", "Oslo", "Bonn", "Nice"])[r.integers(0, 4, (ROWS, 1))]
        return columns, y

    return make


def joined(last, words=False):
    """A pipeline for those columns."""
    parts = [
        ("numbers", steps(impute.SimpleImputer(), preprocessing.StandardScaler()), ["age", "income"]),
        ("codes", preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["code"]),
        ("flags", "passthrough", ["flag"]),
    ]
    if words:
        parts.append(("words", preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["city"]))
    return pipeline.Pipeline([("columns", compose.ColumnTransformer(parts)), ("last", last)])


SIMPLE = {
    "scale-logistic": lambda: steps(preprocessing.StandardScaler(), linear_model.LogisticRegression()),
    "scale-svc": lambda: steps(preprocessing.StandardScaler(), svm.SVC(probability=True, random_state=0)),
    "pca-forest": lambda: steps(decomposition.PCA(4), ensemble.RandomForestClassifier(5, max_depth=4, random_state=0)),
    "scale-mlp": lambda: steps(preprocessing.MinMaxScaler(), neural_network.MLPClassifier((8,), max_iter=50, random_state=0)),
    "scale-neighbors": lambda: steps(preprocessing.RobustScaler(), neighbors.KNeighborsClassifier(3)),
    "poly-logistic": lambda: steps(preprocessing.PolynomialFeatures(2), preprocessing.StandardScaler(), linear_model.LogisticRegression(max_iter=300)),
    "select-tree": lambda: steps(feature_selection.SelectKBest(k=3), tree.DecisionTreeClassifier(max_depth=4)),
    "union": lambda: steps(pipeline.make_union(decomposition.PCA(2), preprocessing.StandardScaler(), preprocessing.Binarizer()), linear_model.LogisticRegression()),
    "grid-search": lambda: model_selection.GridSearchCV(svm.SVC(probability=True, random_state=0), {"C": [0.5, 2]}, cv=2),
    "function": lambda: steps(preprocessing.FunctionTransformer(), linear_model.LogisticRegression()),
    "calibrated-forest": lambda: calibration.CalibratedClassifierCV(ensemble.RandomForestClassifier(4, max_depth=4, random_state=0), cv=2),
    "stacked": lambda: ensemble.StackingClassifier([("a", steps(preprocessing.StandardScaler(), svm.SVC(random_state=0))), ("b", ensemble.GradientBoostingClassifier(n_estimators=4))], cv=2),
    "boosting-of-pca": lambda: steps(decomposition.PCA(4), ensemble.GradientBoostingClassifier(n_estimators=5)),
    "impute-boosting": lambda: steps(impute.SimpleImputer(), ensemble.GradientBoostingClassifier(n_estimators=5)),
}  # fmt: skip


def texts():
    r = np.random.default_rng(4)
    words = np.array("the a cat dog sat ran on mat fast slow red blue".split())
    return np.array([" ".join(r.choice(words, r.integers(2, 9))) for _ in range(ROWS)]).reshape(-1, 1), np.arange(
        ROWS
    ) % 2


COUNTS, WEIGHTS = feature_extraction.text.CountVectorizer, feature_extraction.text.TfidfVectorizer
# How texts become numbers, and what reads those.
TEXT = {
    "counts": (COUNTS, linear_model.LogisticRegression),
    "tfidf": (WEIGHTS, linear_model.LogisticRegression),
    "bigrams": (lambda: WEIGHTS(ngram_range=(1, 2), token_pattern="[a-z]+"), linear_model.LogisticRegression),
    "chars": (lambda: COUNTS(analyzer="char", ngram_range=(1, 3)), naive_bayes.MultinomialNB),
    "presence": (lambda: COUNTS(binary=True, lowercase=False), naive_bayes.BernoulliNB),
    "stop-words": (lambda: WEIGHTS(stop_words=["the", "a"], sublinear_tf=True), linear_model.LogisticRegression),
}


ENTRIES = [
    *(Entry(f"pipe-{name}", make, classes(3), options=PLAIN) for name, make in SIMPLE.items()),
    *(Entry(f"columns-{name}", lambda make=make: joined(make()), mixed(), inputs={}, options=PLAIN)
      for name, make in {"logistic": linear_model.LogisticRegression, "forest": lambda: ensemble.RandomForestClassifier(4, max_depth=4, random_state=0)}.items()),
    Entry("columns-words", lambda: joined(linear_model.LogisticRegression(), True), mixed(True), inputs={}, options=PLAIN),
    Entry("columns-zipmap", lambda: joined(linear_model.LogisticRegression()), mixed(), inputs={}),
    Entry("pipe-regression", lambda: steps(preprocessing.StandardScaler(), decomposition.PCA(4), linear_model.Ridge()), target()),
    Entry("pipe-labels", lambda: steps(preprocessing.StandardScaler(), ensemble.ExtraTreesClassifier(4, max_depth=4, random_state=0)), labels, options=PLAIN),
    Entry("pipe-hashing", lambda: steps(feature_extraction.FeatureHasher(n_features=8, input_type="string"), linear_model.LogisticRegression()),
          lambda: (np.array([["a", "b"], ["c", "a"]])[np.arange(ROWS) % 2], np.arange(ROWS) % 2), options=PLAIN),
    *(Entry(f"text-{name}", lambda make=make, last=last: steps(compose.ColumnTransformer([("t", make(), 0)]), last()), texts, options=PLAIN) for name, (make, last) in TEXT.items()),
]  # fmt: skip
