"""What TensorFlow Datasets reads from the folder of a dataset in RLDS form, as JSON.

    pip install tensorflow-cpu==2.15.1 tensorflow-datasets==4.9.4 tensorflow-metadata==1.14.0 "numpy<2"
    python tools/reference/read_rlds.py FOLDER

It is the TensorFlow side of `packages/rlds/src/real-tensorflow.test.ts`, and makes `expected.json` of `write_rlds.py`. Printed is
{"name", "version", "splits": {split: [episode, …]}} in the order in which the episodes lie in the files: numbers as TensorFlow has them,
integers of 64 bits as texts, tensors as {"shape", "values"}, pictures as the SHA-256 of their undecoded bytes, nested sequences as lists.
"""

import hashlib
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds


def plain(value):
    """A tensor, or sequences by name, as JSON; nested sequences (ragged tensors) as lists."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, tf.RaggedTensor):
        return [plain(row) for row in value]
    array = np.asarray(value)
    if array.dtype.kind in "OS":
        texts = [text.decode() for text in array.reshape(-1)]
    elif array.dtype in (np.int64, np.uint64):
        texts = [str(number) for number in array.reshape(-1)]
    else:
        texts = array.reshape(-1).tolist()
    return {"shape": list(array.shape), "values": texts} if array.shape else texts[0]


def shown(feature, value):
    if isinstance(feature, tfds.features.FeaturesDict):
        return {name: shown(feature[name], value[name]) for name in sorted(feature)}
    if isinstance(feature, tfds.features.Dataset):
        return [shown(feature.feature, step) for step in value]
    if isinstance(feature, tfds.features.Image):
        return hashlib.sha256(value.numpy()).hexdigest()
    return plain(value)


def undecoded(feature):
    """Decoders that leave pictures as they are."""
    if isinstance(feature, tfds.features.FeaturesDict):
        return {name: undecoded(feature[name]) for name in feature if undecoded(feature[name])}
    if isinstance(feature, tfds.features.Dataset):
        return undecoded(feature.feature)
    return tfds.decode.SkipDecoding() if isinstance(feature, tfds.features.Image) else None


def read(folder):
    builder = tfds.builder_from_directory(str(folder))
    features = builder.info.features
    config = tfds.ReadConfig(interleave_cycle_length=1)
    splits = {}
    for split in sorted(builder.info.splits):
        episodes = builder.as_dataset(split=split, shuffle_files=False, read_config=config, decoders=undecoded(features))
        splits[split] = [shown(features, episode) for episode in episodes]
    return {"name": builder.name, "version": str(builder.version), "splits": splits}


if __name__ == "__main__":
    json.dump(read(sys.argv[1]), sys.stdout)
