"""A small dataset in RLDS form, written by TensorFlow Datasets itself, for the tests of packages/rlds.

    pip install tensorflow-cpu==2.15.1 tensorflow-datasets==4.9.4 tensorflow-metadata==1.14.0 "numpy<2"
    python tools/reference/write_rlds.py packages/rlds/fixtures

It writes the folder `tabletop/1.0.0` (four training episodes and two to validate, each split in two files) and `expected.json`, what TensorFlow Datasets reads
from it (see read_rlds.py). Steps have the features of the published LIBERO datasets, with small pictures, and some that others
have: sequences within steps, compressed tensors, scalars of 64 bits.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow_datasets as tfds

from read_rlds import read

FEATURES = tfds.features
INSTRUCTIONS = ["pick up the red block", "open the drawer", "Put the cup on the plate", "push the button", "räume auf", ""]


def steps_feature():
    return FEATURES.Dataset(
        {
            "observation": FEATURES.FeaturesDict(
                {
                    "image": FEATURES.Image(shape=(16, 16, 3), dtype=np.uint8, encoding_format="jpeg"),
                    "wrist_image": FEATURES.Image(shape=(None, None, 3), dtype=np.uint8, encoding_format="png"),
                    "state": FEATURES.Tensor(shape=(8,), dtype=np.float32),
                    "joint_state": FEATURES.Tensor(shape=(7,), dtype=np.float32),
                    "depth": FEATURES.Tensor(shape=(4, 4), dtype=np.uint16, encoding="zlib"),
                    "cloud": FEATURES.Tensor(shape=(None, None), dtype=np.float32, encoding="bytes"),
                    "touches": FEATURES.Tensor(shape=(2, 2), dtype=np.bool_),
                    "seen": FEATURES.Sequence(FEATURES.Text()),
                    "boxes": FEATURES.Sequence(FEATURES.Tensor(shape=(4,), dtype=np.float32)),
                }
            ),
            "action": FEATURES.Tensor(shape=(7,), dtype=np.float32),
            "discount": FEATURES.Scalar(dtype=np.float32),
            "reward": FEATURES.Scalar(dtype=np.float32),
            "is_first": FEATURES.Scalar(dtype=np.bool_),
            "is_last": FEATURES.Scalar(dtype=np.bool_),
            "is_terminal": FEATURES.Scalar(dtype=np.bool_),
            "language_instruction": FEATURES.Text(),
            "nanoseconds": FEATURES.Scalar(dtype=np.int64),
            "mode": FEATURES.Scalar(dtype=np.int32),
        }
    )


def episode(number):
    random = np.random.default_rng(number)
    length = 2 + number % 3

    def step(index):
        last = index == length - 1
        return {
            "observation": {
                "image": random.integers(0, 256, (16, 16, 3), dtype=np.uint8),
                "wrist_image": random.integers(0, 256, (4 + index, 5, 3), dtype=np.uint8),
                "state": random.normal(size=8).astype(np.float32),
                "joint_state": random.normal(size=7).astype(np.float32),
                "depth": random.integers(0, 65536, (4, 4), dtype=np.uint16),
                "cloud": random.normal(size=(index, 3)).astype(np.float32),
                "touches": random.integers(0, 2, (2, 2)).astype(np.bool_),
                "seen": ["cup", "plate", "drawer"][: (index + number) % 4],
                "boxes": random.normal(size=((index + number) % 3, 4)).astype(np.float32),
            },
            "action": random.uniform(-1, 1, 7).astype(np.float32),
            "discount": np.float32(0.99),
            "reward": np.float32(last),
            "is_first": index == 0,
            "is_last": last,
            "is_terminal": last and number != 1,
            "language_instruction": INSTRUCTIONS[number],
            "nanoseconds": 1_700_000_000_123_456_789 + index,
            "mode": -1 - index,
        }

    return {"steps": [step(index) for index in range(length)], "episode_metadata": {"file_path": f"demo_{number}.hdf5"}}


class Tabletop(tfds.core.GeneratorBasedBuilder):
    """Random episodes."""

    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES = {"1.0.0": "random episodes"}

    def _info(self):
        metadata = FEATURES.FeaturesDict({"file_path": FEATURES.Text()})
        features = FEATURES.FeaturesDict({"steps": steps_feature(), "episode_metadata": metadata})
        return tfds.core.DatasetInfo(builder=self, features=features, description="Random episodes.")

    def _split_generators(self, _):
        return {"train": self._generate_examples(range(4)), "val": self._generate_examples([4, 5])}

    def _generate_examples(self, numbers):
        for number in numbers:
            yield str(number), episode(number)


def main(target):
    with tempfile.TemporaryDirectory() as folder:
        builder = Tabletop(data_dir=folder)
        two = tfds.download.DownloadConfig(num_shards=2)
        builder.download_and_prepare(download_config=two)
        shutil.rmtree(target / "tabletop", ignore_errors=True)
        shutil.copytree(Path(folder) / "tabletop", target / "tabletop")
    text = json.dumps(read(target / "tabletop" / "1.0.0"), ensure_ascii=False)
    (target / "expected.json").write_text(text + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
