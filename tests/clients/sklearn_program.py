"""scikit-learn's estimators on the GPU by its extension, beside scikit-learn's own on the processor."""

from importlib.metadata import version

import numpy
from sklearnex import config_context, patch_sklearn, unpatch_sklearn

from comparison import Comparison


def fitted():
    from sklearn.cluster import DBSCAN, KMeans
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LinearRegression

    samples = numpy.random.RandomState(0).rand(500, 8).astype("f4")
    return {
        "PCA": PCA(3).fit(samples).explained_variance_,
        "LinearRegression": LinearRegression().fit(samples, samples @ numpy.arange(8, dtype="f4")).coef_,
        "KMeans": KMeans(3, init=samples[:3], n_init=1).fit(samples).inertia_,
        "DBSCAN": DBSCAN(0.5).fit(samples).labels_,
    }


expected = fitted()
patch_sklearn(verbose=False)
with config_context(target_offload="gpu:0", allow_fallback_to_host=False):
    found = fitted()
unpatch_sklearn()
comparison = Comparison(f"scikit-learn-intelex-gpu {version('scikit-learn-intelex-gpu')}")
for name, value in expected.items():
    comparison.step(name, lambda: found[name], value, 1e-3)
comparison.end()
