"""Classifiers of scikit-learn."""

from sklearn import (
    calibration,
    discriminant_analysis,
    ensemble,
    gaussian_process,
    linear_model,
    multiclass,
    multioutput,
    naive_bayes,
    neighbors,
    neural_network,
    svm,
    tree,
)

from .entry import Entry, classes, labels

NAMES = ["ant", "bee", "cat", "dog"]
# How to make one; each is trained on two and on four classes.
MAKERS = {
    "adaboost": lambda: ensemble.AdaBoostClassifier(n_estimators=7, random_state=0),
    "bagging": lambda: ensemble.BaggingClassifier(n_estimators=4, random_state=0),
    "bernoulli-nb": naive_bayes.BernoulliNB,
    "calibrated": lambda: calibration.CalibratedClassifierCV(linear_model.LogisticRegression(), cv=2),
    "calibrated-isotonic": lambda: calibration.CalibratedClassifierCV(
        naive_bayes.GaussianNB(), method="isotonic", cv=2
    ),
    "decision-tree": lambda: tree.DecisionTreeClassifier(max_depth=5, random_state=0),
    "extra-tree": lambda: tree.ExtraTreeClassifier(max_depth=5, random_state=0),
    "extra-trees": lambda: ensemble.ExtraTreesClassifier(6, max_depth=5, random_state=0),
    "gaussian-nb": naive_bayes.GaussianNB,
    "gradient-boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=6, random_state=0),
    "k-neighbors": lambda: neighbors.KNeighborsClassifier(5),
    "k-neighbors-distance": lambda: neighbors.KNeighborsClassifier(4, weights="distance"),
    "radius-neighbors": lambda: neighbors.RadiusNeighborsClassifier(radius=8.0),
    "lda": discriminant_analysis.LinearDiscriminantAnalysis,
    "qda": discriminant_analysis.QuadraticDiscriminantAnalysis,
    "linear-svc": lambda: svm.LinearSVC(random_state=0),
    "logistic": linear_model.LogisticRegression,
    "logistic-cv": lambda: linear_model.LogisticRegressionCV(Cs=3, cv=2),
    "mlp": lambda: neural_network.MLPClassifier((9, 5), max_iter=60, random_state=0),
    "nu-svc": lambda: svm.NuSVC(nu=0.2),
    "nu-svc-probability": lambda: svm.NuSVC(nu=0.2, probability=True, random_state=0),
    "one-versus-rest": lambda: multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
    "one-versus-one": lambda: multiclass.OneVsOneClassifier(linear_model.LogisticRegression()),
    "passive-aggressive": lambda: linear_model.SGDClassifier(
        loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, random_state=0
    ),
    "perceptron": lambda: linear_model.Perceptron(random_state=0),
    "random-forest": lambda: ensemble.RandomForestClassifier(7, max_depth=6, random_state=0),
    "ridge": linear_model.RidgeClassifier,
    "ridge-cv": linear_model.RidgeClassifierCV,
    "sgd-hinge": lambda: linear_model.SGDClassifier(random_state=0),
    "sgd-log": lambda: linear_model.SGDClassifier(loss="log_loss", random_state=0),
    "sgd-huber": lambda: linear_model.SGDClassifier(loss="modified_huber", random_state=0),
    "stacking": lambda: ensemble.StackingClassifier(
        [("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=3))], cv=2
    ),
    "svc": svm.SVC,
    "svc-linear": lambda: svm.SVC(kernel="linear"),
    "svc-poly": lambda: svm.SVC(kernel="poly", degree=2, coef0=1.0),
    "svc-sigmoid": lambda: svm.SVC(kernel="sigmoid", gamma=0.1),
    "svc-probability": lambda: svm.SVC(probability=True, random_state=0),
    "svc-one-versus-one": lambda: svm.SVC(decision_function_shape="ovo"),
    "voting-hard": lambda: ensemble.VotingClassifier(
        [("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(max_depth=3))],
        flatten_transform=False,
    ),
    "voting-soft": lambda: ensemble.VotingClassifier(
        [("a", linear_model.LogisticRegression()), ("b", naive_bayes.GaussianNB())],
        voting="soft",
        flatten_transform=False,
    ),
}
# They want counts.
COUNTS = {
    "multinomial-nb": naive_bayes.MultinomialNB,
    "complement-nb": naive_bayes.ComplementNB,
}
# What gives several labels a row.
SEVERAL = {
    "k-neighbors": lambda: neighbors.KNeighborsClassifier(5),
    "random-forest": lambda: ensemble.RandomForestClassifier(5, max_depth=4, random_state=0),
    "decision-tree": lambda: tree.DecisionTreeClassifier(max_depth=4, random_state=0),
    "extra-trees": lambda: ensemble.ExtraTreesClassifier(5, max_depth=4, random_state=0),
    "mlp": lambda: neural_network.MLPClassifier((9,), max_iter=60, random_state=0),
    "multi-output": lambda: multioutput.MultiOutputClassifier(linear_model.LogisticRegression()),
    "one-versus-rest": lambda: multiclass.OneVsRestClassifier(linear_model.LogisticRegression()),
}
PLAIN = {"zipmap": False}

ENTRIES = [
    *(
        Entry(f"{name}-{n}", make, classes(n), options={} if name == "linear-svc" else PLAIN)
        for name, make in MAKERS.items()
        for n in (2, 4)
    ),
    *(Entry(f"{name}-{n}", make, classes(n, low=0), options=PLAIN) for name, make in COUNTS.items() for n in (2, 4)),
    *(Entry(f"{name}-labels", make, labels, options=PLAIN) for name, make in SEVERAL.items()),
    *(
        Entry(f"{name}-zipmap", MAKERS[name], classes(3))
        for name in ("logistic", "random-forest", "svc-probability", "mlp", "gaussian-nb")
    ),
    *(
        Entry(f"{name}-names", MAKERS[name], classes(4, NAMES), options=PLAIN)
        for name in ("logistic", "random-forest", "svc", "k-neighbors", "mlp", "lda")
    ),
    Entry("logistic-names-zipmap", MAKERS["logistic"], classes(4, NAMES)),
    *(
        Entry(
            f"{name}-raw",
            MAKERS[name],
            classes(3),
            options={"raw_scores": True} if name == "linear-svc" else {"zipmap": False, "raw_scores": True},
        )
        for name in ("logistic", "gradient-boosting", "svc", "sgd-log", "linear-svc")
    ),  # fmt: skip
    Entry(
        "gaussian-process",
        lambda: gaussian_process.GaussianProcessClassifier(random_state=0),
        classes(2),
        options=PLAIN,
    ),
]
