"""What changes features: scalers, encoders, decompositions, selections, clusters, detectors of outliers."""

import numpy as np
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType
from sklearn import (
    cluster,
    decomposition,
    ensemble,
    feature_selection,
    impute,
    mixture,
    neighbors,
    preprocessing,
    random_projection,
    svm,
)

from .entry import ROWS, Entry, classes, numbers

NUMBERS = {
    "binarizer": lambda: preprocessing.Binarizer(threshold=0.2),
    "discretizer": lambda: preprocessing.KBinsDiscretizer(4, encode="ordinal", strategy="uniform"),
    "discretizer-onehot": lambda: preprocessing.KBinsDiscretizer(3, encode="onehot-dense", strategy="quantile"),
    "max-abs": preprocessing.MaxAbsScaler,
    "min-max": lambda: preprocessing.MinMaxScaler(clip=True),
    "normalizer-l1": lambda: preprocessing.Normalizer("l1"),
    "normalizer-l2": preprocessing.Normalizer,
    "normalizer-max": lambda: preprocessing.Normalizer("max"),
    "polynomial": lambda: preprocessing.PolynomialFeatures(3),
    "polynomial-interactions": lambda: preprocessing.PolynomialFeatures(2, interaction_only=True, include_bias=False),
    "power": preprocessing.PowerTransformer,
    "quantile": lambda: preprocessing.QuantileTransformer(n_quantiles=20),
    "robust": preprocessing.RobustScaler,
    "standard": preprocessing.StandardScaler,
    "standard-no-mean": lambda: preprocessing.StandardScaler(with_mean=False),
    "pca": lambda: decomposition.PCA(3),
    "pca-whiten": lambda: decomposition.PCA(3, whiten=True),
    "incremental-pca": lambda: decomposition.IncrementalPCA(3),
    "kernel-pca": lambda: decomposition.KernelPCA(3, kernel="rbf"),
    "truncated-svd": lambda: decomposition.TruncatedSVD(3, random_state=0),
    "gaussian-projection": lambda: random_projection.GaussianRandomProjection(3, random_state=0),
    "variance": lambda: feature_selection.VarianceThreshold(0.5),
    "k-means": lambda: cluster.KMeans(4, n_init=2, random_state=0),
    "mini-batch-k-means": lambda: cluster.MiniBatchKMeans(4, n_init=2, random_state=0),
    "gaussian-mixture": lambda: mixture.GaussianMixture(3, random_state=0),
    "gaussian-mixture-tied": lambda: mixture.GaussianMixture(3, covariance_type="tied", random_state=0),
    "gaussian-mixture-diag": lambda: mixture.GaussianMixture(3, covariance_type="diag", random_state=0),
    "gaussian-mixture-spherical": lambda: mixture.GaussianMixture(3, covariance_type="spherical", random_state=0),
    "bayesian-mixture": lambda: mixture.BayesianGaussianMixture(n_components=3, random_state=0),
    "local-outliers": lambda: neighbors.LocalOutlierFactor(6, novelty=True),
    "one-class-svm": lambda: svm.OneClassSVM(nu=0.2),
    "k-neighbors-transformer": lambda: neighbors.KNeighborsTransformer(n_neighbors=4, mode="distance"),
    "nearest-neighbors": lambda: neighbors.NearestNeighbors(n_neighbors=4, radius=None),
    "random-trees-embedding": lambda: ensemble.RandomTreesEmbedding(
        4, max_depth=3, random_state=0, sparse_output=False
    ),
}
# They are trained with classes.
CHOSEN = {
    "select-k-best": lambda: feature_selection.SelectKBest(k=3),
    "select-percentile": lambda: feature_selection.SelectPercentile(percentile=50),
    "select-fpr": lambda: feature_selection.SelectFpr(alpha=0.3),
    "select-from-model": lambda: feature_selection.SelectFromModel(ensemble.ExtraTreesClassifier(5, random_state=0)),
    "rfe": lambda: feature_selection.RFE(svm.LinearSVC(), n_features_to_select=3),
    "neighborhood": lambda: neighbors.NeighborhoodComponentsAnalysis(2, random_state=0),
}
MISSING = {
    "simple-imputer": impute.SimpleImputer,
    "simple-imputer-median": lambda: impute.SimpleImputer(strategy="median"),
    "simple-imputer-constant": lambda: impute.SimpleImputer(strategy="constant", fill_value=-3.0),
    "simple-imputer-indicator": lambda: impute.SimpleImputer(add_indicator=True),
    "k-neighbors-imputer": lambda: impute.KNNImputer(n_neighbors=3),
}
CODES = {
    "one-hot": lambda: preprocessing.OneHotEncoder(sparse_output=False),
    "one-hot-unknown": lambda: preprocessing.OneHotEncoder(sparse_output=False, handle_unknown="ignore"),
    "one-hot-drop": lambda: preprocessing.OneHotEncoder(sparse_output=False, drop="first"),
    "ordinal": preprocessing.OrdinalEncoder,
    "ordinal-unknown": lambda: preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
}


def missing():
    x = numbers()
    x[np.random.default_rng(3).random(x.shape) < 0.15] = np.nan
    return x, None


def codes():
    return np.random.default_rng(2).integers(0, 4, (ROWS, 3)), None


def targets():
    x = codes()[0]
    return x, (x.sum(1) + np.random.default_rng(6).random(ROWS))


def older(model, columns):
    """By version 3 of `ai.onnx.ml`: its converter knows no later one."""
    return to_onnx(
        model, initial_types=[("x", FloatTensorType([None, columns]))], target_opset={"": 18, "ai.onnx.ml": 3}
    )


ENTRIES = [
    Entry(
        "isolation-forest",
        lambda: ensemble.IsolationForest(n_estimators=8, random_state=0),
        lambda: (numbers(), None),
        convert=older,
    ),
    *(Entry(name, make, lambda: (numbers(), None)) for name, make in NUMBERS.items()),
    *(Entry(name, make, classes(3)) for name, make in CHOSEN.items()),
    *(Entry(name, make, missing) for name, make in MISSING.items()),
    *(Entry(name, make, codes) for name, make in CODES.items()),
    Entry("target-encoder", lambda: preprocessing.TargetEncoder(random_state=0), targets),
]
