"""Reads a run's event files back with TensorBoard's own reader and compares them with the run's metrics.jsonl.

python check_tensorboard.py RUN

Needs the package `tensorboard`, and a RUN made with `emac train --tracker tensorboard`. Prints what was found; ends with 1 where
something is missing, there twice, or another number.
"""

import json
import struct
import sys
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

PLACES = {"v", "update", "round", "episode", "place", "epoch"}


def float32(value):
    """The number as event files store it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def expected_scalars(run):
    """(tag, step) -> value, as the metrics say."""
    counts, expected = {}, {}
    for line in (run / "metrics.jsonl").read_text().splitlines():
        record = json.loads(line)
        kind = record["kind"]
        counts[kind] = counts.get(kind, 0) + 1
        step = record["update"] if "update" in record else counts[kind]
        for name, value in record.items():
            if name not in PLACES and isinstance(value, (int, float)) and not isinstance(value, bool):
                expected[(f"{kind}/{name}", step)] = float32(value)
    return expected


def main(run):
    events = EventAccumulator(str(run / "tb"), size_guidance={"scalars": 0, "tensors": 0})
    events.Reload()
    tags = events.Tags()
    found = [
        ((tag, event.step), event.value) for tag in tags["scalars"] for event in events.Scalars(tag)
    ]
    expected = expected_scalars(run)
    wrong = [key for key, value in found if expected.get(key) != value]
    missing = expected.keys() - {key for key, _ in found}
    texts = [event for tag in tags["tensors"] for event in events.Tensors(tag)]
    words = [event.tensor_proto.string_val[0].decode() for event in texts]
    episodes = len(list((run / "episodes").glob("*.jsonl")))
    print(f"{len(found)} scalars of {len(tags['scalars'])} tags, {len(words)} texts of {episodes} episodes")
    is_whole = len(found) == len(expected) and not wrong and not missing
    are_told = len(words) == episodes and sorted(event.step for event in texts) == list(range(episodes))
    print("equal to metrics.jsonl" if is_whole else f"wrong: {wrong}, missing: {sorted(missing)}")
    print("every episode once" if are_told else "episodes are missing or there twice")
    return 0 if is_whole and are_told and all(words) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
