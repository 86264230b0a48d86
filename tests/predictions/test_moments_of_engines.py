"""Sums on engines that hold more than one machine does: the same as of one array."""

import importlib.util
import pickle
import shutil
import sys

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import BBC, ScoreMoments
from sklearn_bbc.contest._moments_of_files import moments_of_file

SCORES = (np.random.default_rng(0).random((1200, 4)) < [0.6, 0.65, 0.7, 0.7]).astype(float)
NAMES = ["a", "b", "c", "d"]
TABLE = pd.DataFrame(SCORES, columns=NAMES).assign(patient=np.arange(1200) // 2)
WHOLE = ScoreMoments(4, NAMES).update(SCORES)
GROUPED = ScoreMoments(4, NAMES).update(SCORES, groups=np.arange(1200) // 2)


def needs(name):
    return pytest.mark.skipif(
        importlib.util.find_spec(name) is None, reason=f"{name} is not installed"
    )


def of_table(table):
    """Moments of a part, as a worker computes them."""
    return ScoreMoments(4).update(table[NAMES], groups=table["patient"].to_numpy())


def assert_same(found, wanted):
    assert found.n_samples == wanted.n_samples
    assert found.n_units == wanted.n_units
    np.testing.assert_allclose(found.means, wanted.means, rtol=1e-13)
    np.testing.assert_allclose(found.covariance, wanted.covariance, rtol=1e-11, atol=1e-14)
    one, other = (BBC(random_state=0).estimate(each) for each in (found, wanted))
    assert str(one) == str(other)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ending", [".csv", pytest.param(".parquet", marks=needs("pyarrow"))])
@pytest.mark.parametrize("n_rows", [7, 5000])
def test_a_file_is_read_some_rows_at_a_time(ending, n_rows, tmp_path):
    path = tmp_path / f"scores{ending}"
    TABLE.to_csv(path, index=False) if ending == ".csv" else TABLE.to_parquet(path)
    found = moments_of_file(path, groups="patient", n_rows=n_rows)
    assert_same(found, GROUPED)
    assert found.names == ("a", "b", "c", "d")
    assert_same(moments_of_file(path, columns=NAMES, n_rows=n_rows), WHOLE)
    some = moments_of_file(path, columns=["d", "a"])
    np.testing.assert_allclose(some.means, WHOLE.means[[3, 0]])


def test_predictions_in_a_file_are_scored(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=900)
    labels = np.where(SCORES[:900] > 0, y[:, None], 1 - y[:, None])
    path = tmp_path / "labels.csv"
    pd.DataFrame(labels, columns=NAMES).assign(y=y, w=2.0).to_csv(path, index=False)
    found = moments_of_file(path, "accuracy", target="y", sample_weight="w", n_rows=100)
    assert found.metric == "accuracy"
    assert found.names == ("a", "b", "c", "d")
    np.testing.assert_allclose(found.means, SCORES[:900].mean(axis=0))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"columns": ["e"]}, "has no column 'e', but 'a', 'b'"),
        ({"target": "a"}, "scoring and target belong together"),
        ({"scoring": "accuracy"}, "scoring and target belong together"),
        ({"columns": []}, "no column of scores"),
    ],
)
def test_what_a_file_lacks_is_told(given, message, tmp_path):
    path = tmp_path / "scores.csv"
    TABLE.to_csv(path, index=False)
    with pytest.raises(ValueError, match=message):
        moments_of_file(path, **given)


def test_labels_of_groups_in_a_text_file_are_texts_in_every_part(tmp_path):
    path = tmp_path / "scores.csv"
    groups = ["1", "2", "01", "2", "x", "1"]
    pd.DataFrame({"a": np.arange(6.0), "g": groups}).to_csv(path, index=False)
    for n_rows in (2, 3, 6):
        assert moments_of_file(path, groups="g", n_rows=n_rows).n_units == 4


def test_memory_maps_of_numpy(tmp_path):
    np.save(tmp_path / "scores.npy", SCORES)
    mapped = np.load(tmp_path / "scores.npy", mmap_mode="r")
    moments = ScoreMoments(4)
    for first in range(0, len(mapped), 500):
        moments.update(mapped[first : first + 500])
    assert_same(moments, ScoreMoments(4).update(SCORES))


@needs("pyarrow")
def test_a_dataset_of_parquet_files(tmp_path):
    from pyarrow import dataset

    for k in range(3):
        TABLE.iloc[400 * k : 400 * (k + 1)].to_parquet(tmp_path / f"part-{k}.parquet")
    found = ScoreMoments(4)
    for batch in dataset.dataset(tmp_path).to_batches(columns=[*NAMES, "patient"], batch_size=90):
        found.merge(of_table(batch.to_pandas()))
    assert_same(found, GROUPED)


@pytest.mark.long
@needs("dask")
def test_dask_adds_parts_by_a_tree():
    from dask import bag, delayed

    parts = [delayed(of_table)(TABLE.iloc[k : k + 130]) for k in range(0, 1200, 130)]
    tree = bag.from_delayed([delayed(lambda part: [part])(part) for part in parts])
    found = tree.reduction(sum, sum, split_every=3).compute(scheduler="threads")
    assert_same(found, GROUPED)
    again = tree.reduction(sum, sum, split_every=3).compute(scheduler="sync")
    assert np.array_equal(again.covariance, found.covariance)


def part_of_rows(first, kill):
    """Moments of 100 rows; the worker ends itself when it finds nobody has done it before."""
    import os
    from pathlib import Path

    if kill is not None and first == 500 and not Path(kill).exists():
        Path(kill).write_text("")
        os._exit(1)
    return of_table(TABLE.iloc[first : first + 100])


@pytest.mark.long
@needs("distributed")
def test_two_dask_workers_of_which_one_ends_give_the_same_digits(tmp_path):
    from distributed import Client, LocalCluster

    wanted = sum(part_of_rows(first, None) for first in range(0, 1200, 100))
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        given = range(0, 1200, 100)
        futures = client.map(part_of_rows, given, kill=str(tmp_path / "ended"), retries=3)
        found = sum(client.gather(futures))
    assert (tmp_path / "ended").exists()
    assert np.array_equal(found.covariance, wanted.covariance)
    assert str(BBC(random_state=0).estimate(found)) == str(BBC(random_state=0).estimate(wanted))


@needs("duckdb")
def test_duckdb_streams_the_rows_of_a_query(tmp_path):
    import duckdb

    TABLE.to_csv(tmp_path / "scores.csv", index=False)
    query = duckdb.connect().execute(
        f"select a, b, c, d, patient from read_csv('{tmp_path / 'scores.csv'}') where a >= 0"
    )
    found = ScoreMoments(4)
    while len(table := query.fetch_df_chunk()):
        found.merge(of_table(table))
    assert_same(found, GROUPED)


@needs("zarr")
def test_zarr_is_read_by_chunks(tmp_path):
    import zarr

    stored = zarr.create_array(
        str(tmp_path / "scores.zarr"), shape=SCORES.shape, chunks=(256, 4), dtype=float
    )
    stored[:] = SCORES
    found = ScoreMoments(4)
    for first in range(0, stored.shape[0], stored.chunks[0]):
        found.update(stored[first : first + stored.chunks[0]])
    assert_same(found, ScoreMoments(4).update(SCORES))


@needs("ray")
def test_ray_maps_batches_and_the_driver_merges(tmp_path):
    import ray

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        table = ray.data.from_pandas([TABLE.iloc[k : k + 400] for k in (0, 400, 800)])
        sums = table.map_batches(
            lambda piece: {"sums": [of_table(piece)]}, batch_size=150, batch_format="pandas"
        )
        assert_same(sum(row["sums"] for row in sums.iter_rows()), GROUPED)
    finally:
        ray.shutdown()


@needs("pyspark")
@pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java")
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_spark_maps_partitions_and_the_driver_merges(monkeypatch):
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)

    def sums_of(tables):
        found = ScoreMoments(4)
        for table in tables:
            found.merge(of_table(table))
        yield pd.DataFrame({"sums": [pickle.dumps(found)]})

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = spark.getOrCreate()
    try:
        rows = session.createDataFrame(TABLE).repartition(2).mapInPandas(sums_of, "sums binary")
        assert_same(sum(pickle.loads(row.sums) for row in rows.collect()), GROUPED)
    finally:
        session.stop()
