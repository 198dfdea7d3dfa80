"""Reads a run back from trackio's store or from an MLflow server and compares it with the run's metrics.jsonl.

python check_services.py RUN trackio|mlflow

Needs the package `trackio` (and TRACKIO_DIR, if the dashboard had it) or `mlflow-skinny` (and MLFLOW_TRACKING_URI). Prints what was found;
ends with 1 where a number is missing, there twice, or another one.
"""

import json
import os
import sys
from pathlib import Path

PLACES = {"v", "update", "round", "episode", "place", "epoch"}


def expected_numbers(run):
    """Sorted (tag, step, value), as the metrics say."""
    counts, expected = {}, []
    for line in (run / "metrics.jsonl").read_text().splitlines():
        record = json.loads(line)
        kind = record["kind"]
        counts[kind] = counts.get(kind, 0) + 1
        step = record.get("update", counts[kind])
        for name, value in record.items():
            if name not in PLACES and isinstance(value, (int, float)) and not isinstance(value, bool):
                expected.append((f"{kind}/{name}", step, float(value)))
    return sorted(expected)


def numbers_in_trackio(run):
    from trackio.sqlite_storage import SQLiteStorage

    logs = SQLiteStorage.get_logs(os.environ.get("TRACKIO_PROJECT", "emac"), run.name)
    return sorted(
        (tag, log["step"], float(value))
        for log in logs
        for tag, value in log.items()
        if tag not in ("timestamp", "step")
    )


def numbers_in_mlflow(run):
    from mlflow import MlflowClient

    client = MlflowClient()
    experiment = client.get_experiment_by_name(os.environ.get("MLFLOW_EXPERIMENT_NAME", "emac"))
    (found,) = client.search_runs([experiment.experiment_id], f"tags.`emac.run` = '{run.name}'")
    identity = found.info.run_id
    return sorted(
        (metric.key, metric.step, metric.value)
        for key in found.data.metrics
        for metric in client.get_metric_history(identity, key)
    )


def main(run, service):
    found = {"trackio": numbers_in_trackio, "mlflow": numbers_in_mlflow}[service](run)
    expected = expected_numbers(run)
    print(f"{service}: {len(found)} numbers, {len(set(expected) ^ set(found))} differ")
    sys.exit(0 if found == expected else 1)


main(Path(sys.argv[1]).resolve(), sys.argv[2])
