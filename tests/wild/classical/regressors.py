"""Regressors of scikit-learn."""

from sklearn import (
    cross_decomposition,
    ensemble,
    gaussian_process,
    linear_model,
    multioutput,
    neighbors,
    neural_network,
    svm,
    tree,
)
from sklearn.gaussian_process import kernels as k

from .entry import Entry, target

MAKERS = {
    "adaboost": lambda: ensemble.AdaBoostRegressor(n_estimators=5, random_state=0),
    "ard": linear_model.ARDRegression,
    "bagging": lambda: ensemble.BaggingRegressor(n_estimators=4, random_state=0),
    "bayesian-ridge": linear_model.BayesianRidge,
    "decision-tree": lambda: tree.DecisionTreeRegressor(max_depth=6, random_state=0),
    "elastic-net": lambda: linear_model.ElasticNet(alpha=0.1),
    "extra-trees": lambda: ensemble.ExtraTreesRegressor(5, max_depth=6, random_state=0),
    "gradient-boosting": lambda: ensemble.GradientBoostingRegressor(n_estimators=8, random_state=0),
    "huber": lambda: linear_model.HuberRegressor(max_iter=500),
    "k-neighbors": lambda: neighbors.KNeighborsRegressor(4),
    "k-neighbors-manhattan": lambda: neighbors.KNeighborsRegressor(4, weights="distance", p=1),
    "radius-neighbors": lambda: neighbors.RadiusNeighborsRegressor(radius=8.0),
    "lars": linear_model.Lars,
    "lasso": lambda: linear_model.Lasso(alpha=0.1),
    "lasso-lars": lambda: linear_model.LassoLars(alpha=0.1),
    "linear": linear_model.LinearRegression,
    "linear-svr": lambda: svm.LinearSVR(random_state=0),
    "mlp": lambda: neural_network.MLPRegressor(hidden_layer_sizes=(8, 4), max_iter=80, random_state=0),
    "mlp-tanh": lambda: neural_network.MLPRegressor(
        hidden_layer_sizes=(8,), activation="tanh", max_iter=80, random_state=0
    ),
    "nu-svr": svm.NuSVR,
    "orthogonal-matching": linear_model.OrthogonalMatchingPursuit,
    "quantile": lambda: linear_model.QuantileRegressor(alpha=0.01),
    "random-forest": lambda: ensemble.RandomForestRegressor(6, max_depth=6, random_state=0),
    "ransac": lambda: linear_model.RANSACRegressor(random_state=0),
    "ridge": linear_model.Ridge,
    "sgd": lambda: linear_model.SGDRegressor(random_state=0),
    "stacking": lambda: ensemble.StackingRegressor(
        [("a", linear_model.Ridge()), ("b", tree.DecisionTreeRegressor(max_depth=3))], cv=2
    ),
    "svr": svm.SVR,
    "svr-poly": lambda: svm.SVR(kernel="poly", degree=2),
    "theil-sen": lambda: linear_model.TheilSenRegressor(random_state=0),
    "voting": lambda: ensemble.VotingRegressor(
        [("a", linear_model.Ridge()), ("b", tree.DecisionTreeRegressor(max_depth=3))]
    ),
    "gaussian-process": lambda: gaussian_process.GaussianProcessRegressor(k.RBF() + k.WhiteKernel(), random_state=0),
    "gaussian-process-rational": lambda: gaussian_process.GaussianProcessRegressor(
        k.ConstantKernel() * k.RationalQuadratic(), alpha=0.1, random_state=0
    ),
    "gaussian-process-dot": lambda: gaussian_process.GaussianProcessRegressor(
        k.DotProduct() + k.WhiteKernel(), random_state=0
    ),
    "pls": lambda: cross_decomposition.PLSRegression(2),
}
POSITIVE = {
    "poisson": linear_model.PoissonRegressor,
    "gamma": linear_model.GammaRegressor,
    "tweedie": lambda: linear_model.TweedieRegressor(power=1.5),
}
SEVERAL = {
    "linear": linear_model.LinearRegression,
    "multi-task-lasso": lambda: linear_model.MultiTaskLasso(alpha=0.1),
    "multi-task-elastic-net": lambda: linear_model.MultiTaskElasticNet(alpha=0.1),
    "random-forest": lambda: ensemble.RandomForestRegressor(5, max_depth=5, random_state=0),
    "decision-tree": lambda: tree.DecisionTreeRegressor(max_depth=5, random_state=0),
    "k-neighbors": lambda: neighbors.KNeighborsRegressor(4),
    "mlp": lambda: neural_network.MLPRegressor(hidden_layer_sizes=(8,), max_iter=80, random_state=0),
    "multi-output": lambda: multioutput.MultiOutputRegressor(
        ensemble.GradientBoostingRegressor(n_estimators=4, random_state=0)
    ),
    "pls": lambda: cross_decomposition.PLSRegression(2),
}

ENTRIES = [
    *(Entry(f"{name}-regressor", make, target()) for name, make in MAKERS.items()),
    *(Entry(f"{name}-regressor", make, target(positive=True)) for name, make in POSITIVE.items()),
    *(Entry(f"{name}-regressor-3", make, target(3)) for name, make in SEVERAL.items()),
]
