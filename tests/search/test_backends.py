"""The same results wherever the fits run."""

import numpy as np
import pytest
from joblib import parallel_config, register_parallel_backend
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=0)
GRID = {"C": [0.01, 1.0]}
OPTIONS = {
    "scoring": ["roc_auc", "accuracy"],
    "refit": "roc_auc",
    "cv": StratifiedKFold(4, shuffle=True, random_state=0),
}


def fit(n_jobs=2):
    search = BBCSearchCV(
        LogisticRegression(),
        GRID,
        ci=BBC(n_bootstraps=40),
        n_jobs=n_jobs,
        random_state=0,
        **OPTIONS,
    )
    return search.fit(X, Y)


@pytest.fixture(scope="module")
def expected():
    return fit(n_jobs=1)


def assert_same(search, expected):
    for name in ("mean_test_roc_auc", "mean_test_accuracy"):
        np.testing.assert_array_equal(search.cv_results_[name], expected.cv_results_[name])
    assert set(search.oof_.responses) == {"predict", "decision_function"}
    for name, array in search.oof_.responses.items():
        np.testing.assert_array_equal(array, expected.oof_.responses[name])
    np.testing.assert_array_equal(search.oof_.fold, expected.oof_.fold)
    assert tuple(search.ci_) == tuple(expected.ci_)
    assert search.bbcf_score_ == expected.bbcf_score_


def test_one_process_gives_the_results_of_grid_search(expected):
    plain = GridSearchCV(LogisticRegression(), GRID, n_jobs=1, **OPTIONS).fit(X, Y)
    np.testing.assert_array_equal(
        expected.cv_results_["mean_test_roc_auc"], plain.cv_results_["mean_test_roc_auc"]
    )


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_backends_of_joblib(backend, expected):
    with parallel_config(backend=backend):
        assert_same(fit(), expected)


def test_train_scores_in_threads(expected):
    with parallel_config(backend="threading"):
        search = BBCSearchCV(
            LogisticRegression(), GRID, ci=[], n_jobs=2, return_train_score=True, **OPTIONS
        ).fit(X, Y)
    for name, array in search.oof_.responses.items():
        np.testing.assert_array_equal(array, expected.oof_.responses[name])


@pytest.mark.slow  # dask takes some seconds to start
def test_dask(expected):
    distributed = pytest.importorskip("distributed", reason="dask is an optional extra")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        parallel_config(backend="dask"),
    ):
        assert_same(fit(n_jobs=-1), expected)


@pytest.mark.slow  # ray takes some seconds to start
def test_ray(expected):
    ray = pytest.importorskip("ray", reason="ray is an optional extra; pip install ray")
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with parallel_config(backend="ray"):
            assert_same(fit(n_jobs=2), expected)
    finally:
        ray.shutdown()


def test_a_backend_of_someone_else(expected):
    """Whatever the backend is, tasks and results only have to be pickled."""
    import pickle

    from joblib._parallel_backends import ThreadingBackend

    class Pickling(ThreadingBackend):
        supports_sharedmem = False

        def submit(self, func, callback=None):
            return super().submit(through_pickle(func), callback)

        def apply_async(self, func, callback=None):  # before joblib 1.5
            return super().apply_async(through_pickle(func), callback)

    def through_pickle(batch):
        again = pickle.loads(pickle.dumps(batch))
        return lambda: pickle.loads(pickle.dumps(again()))

    register_parallel_backend("pickling", Pickling)
    with parallel_config(backend="pickling"):
        assert_same(fit(), expected)
