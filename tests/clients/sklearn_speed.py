"""scikit-learn's estimators on the GPU by its extension, beside scikit-learn's own on the processor."""

from importlib.metadata import version

import numpy
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import NearestNeighbors
from sklearnex import cluster, config_context, ensemble, neighbors

from times import Table

samples = numpy.random.RandomState(0).rand(20_000, 16).astype("f4")
labels = (samples.sum(axis=1) > 8).astype("i4")


def means(module):
    # With a tolerance oneDAL writes through a null pointer (docs/reference/clients.md).
    return lambda: module(8, init=samples[:8], n_init=1, max_iter=10, tol=0, algorithm="lloyd").fit(samples)


def neighbours(module):
    return lambda: module(n_neighbors=5, algorithm="brute").fit(samples).kneighbors(samples[:2000])


def forest(module):
    return lambda: module(10, max_depth=8, random_state=0).fit(samples[:4000], labels[:4000])


def on_device(operation):
    def run():
        with config_context(target_offload="gpu:0", allow_fallback_to_host=False):
            operation()

    return run


table = Table(f"scikit-learn-intelex {version('scikit-learn-intelex-gpu')}", "sklearn")
table.row("k-means, 20,000 x 16, 8 centres", on_device(means(cluster.KMeans)), means(KMeans))
table.row("5 neighbours of 2,000 in 20,000", on_device(neighbours(neighbors.NearestNeighbors)), neighbours(NearestNeighbors))
table.row("forest of 10, 4,000 x 16", on_device(forest(ensemble.RandomForestClassifier)), forest(RandomForestClassifier))
