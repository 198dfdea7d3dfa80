"""Action tokens, statistics and normalization of OpenVLA by numpy, for packages/vla/src/reference-actions.test.ts.

python write_vla.py; it writes packages/vla/fixtures/actions.json. Formulas of the published code, each in numpy's own functions.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

VOCABULARY = 32064 - 64
BINS = np.linspace(-1, 1, 256)
CENTRES = (BINS[:-1] + BINS[1:]) / 2


def encode(values):
    return VOCABULARY - np.digitize(np.clip(values, -1, 1), BINS)


def decode(ids):
    return CENTRES[np.clip(VOCABULARY - ids - 1, 0, CENTRES.shape[0] - 1)]


def digest(array, kind):
    return hashlib.sha256(np.ascontiguousarray(array, kind).tobytes()).hexdigest()


def statistics(rows):
    return {
        "mean": rows.mean(0).tolist(),
        "std": rows.std(0).tolist(),
        "max": rows.max(0).tolist(),
        "min": rows.min(0).tolist(),
        "q01": np.quantile(rows, 0.01, axis=0).tolist(),
        "q99": np.quantile(rows, 0.99, axis=0).tolist(),
    }


def demonstrations():
    random = np.random.default_rng(4)
    lengths = [23, 31, 17, 42]
    actions = [np.round(random.normal(0, [0.4, 0.3, 0.2, 0.05, 0.04, 0.03, 1], (n, 7)), 4) for n in lengths]
    for each in actions:
        each[:, 4] = 0.25  # a dimension that never moves
        each[:, 6] = each[:, 6] > 0
    proprio = [np.round(random.uniform(-2, 2, (n, 8)), 4) for n in lengths]
    return actions, proprio


def normalized(rows, found, mask):
    low, high = np.array(found["q01"]), np.array(found["q99"])
    within = np.where(mask, np.clip(2 * (rows - low) / (high - low + 1e-8) - 1, -1, 1), rows)
    return np.where(np.array(found["min"]) == np.array(found["max"]), 0.0, within)


def unnormalized(rows, found, mask):
    low, high = np.array(found["q01"]), np.array(found["q99"])
    return np.where(mask, 0.5 * (rows + 1) * (high - low) + low, rows)


def main():
    grid = np.array([-1.2 + 2.4 * k / 20000 for k in range(20001)])
    edges = np.concatenate([BINS, np.nextafter(BINS, -2), np.nextafter(BINS, 2)])
    ids = np.arange(31700, 32064)
    actions, proprio = demonstrations()
    every, states = np.concatenate(actions), np.concatenate(proprio)
    mask = np.array([True] * 6 + [False])
    found = statistics(every)
    model = normalized(every, found, mask)
    fixture = {
        "tokens": {
            "grid": digest(encode(grid), "<i4"),
            "edges": digest(encode(edges), "<i4"),
            "edgeIds": encode(edges)[::37].tolist(),
            "decoded": digest(decode(ids), "<f8"),
            "bins": digest(BINS, "<f8"),
        },
        "quantiles": [[n, np.quantile(np.sin(np.arange(n) * 1.5), q)] for n in (1, 2, 50, 101, 10007) for q in (0.01, 0.5, 0.99)],
        "demonstrations": [{"actions": a.tolist(), "proprio": p.tolist()} for a, p in zip(actions, proprio)],
        "statistics": {
            "libero_spatial_no_noops": {
                "action": {**found, "mask": mask.tolist()},
                "proprio": statistics(states),
                "num_transitions": len(every),
                "num_trajectories": len(actions),
            }
        },
        "normalized": model[::9].tolist(),
        "unnormalized": unnormalized(decode(encode(model)), found, mask)[::9].tolist(),
    }
    path = Path(__file__).parents[2] / "packages/vla/fixtures/actions.json"
    path.write_text(json.dumps(fixture))


main()
