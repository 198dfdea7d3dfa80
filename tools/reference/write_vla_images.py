"""What TensorFlow makes of camera pictures on the way into OpenVLA, for packages/vla/src/images/reference-images.test.ts.

With tensorflow-cpu 2.15.1 and pillow 13.0.0: python write_vla_images.py; it writes packages/vla/fixtures/images.

Each picture is drawn here: shaded shapes, edges, texture and noise, so that every step has something to lose. Steps, in order: turned by
180 degrees and through a JPEG (`turned`), Lanczos-3 with antialiasing (`resized`), the middle nine tenths at the same size (`cropped`).
`jpeg.json` has digests of 54 more pictures after a JPEG; they are made of whole numbers, so that a test can make them too.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import tensorflow as tf
from PIL import Image

# name: height, width, side of what the model sees
PICTURES = {"table": (64, 64, 56), "texture": (45, 77, 56), "camera": (256, 256, 224)}


def drawn(name, height, width):
    random = np.random.default_rng(sum(name.encode()))
    rows, columns = np.mgrid[0:height, 0:width].astype(float)
    y, x = rows / height, columns / width
    picture = np.stack([150 + 70 * y, 120 + 60 * x, 90 + 40 * (x + y)], -1)
    for _ in range(7):
        cy, cx, radius = random.uniform(0.1, 0.9, 2).tolist() + [random.uniform(0.05, 0.2)]
        colour = random.uniform(0, 255, 3)
        if random.uniform() < 0.5:
            inside = (np.abs(y - cy) < radius) & (np.abs(x - cx) < radius * 0.7)
        else:
            inside = (y - cy) ** 2 + (x - cx) ** 2 < radius**2
        shade = 0.6 + 0.4 * np.clip((cx - x) / radius, -1, 1)[..., None]
        picture = np.where(inside[..., None], colour * shade, picture)
    if name == "texture":
        picture += 60 * np.sin(2 * np.pi * x * 19)[..., None] * (y > 0.6)[..., None]
        picture[:, : width // 4] = random.uniform(0, 255, (height, width // 4, 3))
    return np.clip(np.round(picture), 0, 255).astype(np.uint8)


def mixed(numbers):
    numbers = (numbers * 2654435761) % 2**32
    numbers = ((numbers ^ (numbers >> 15)) * 2246822519) % 2**32
    return numbers >> 24


def computed(kind, height, width):
    y, x, channel = np.mgrid[0:height, 0:width, 0:3].astype(np.uint64)
    if kind == "noise":
        numbers = mixed((y * width + x) * 3 + channel)
    elif kind == "blocks":
        numbers = mixed((y // 7 * 1000 + x // 7) * 3 + channel)
    else:
        phase = (5 * x + 3 * y + 80 * channel + x * y // 16) % 256
        numbers = np.minimum(phase, 255 - phase) * 2
    return numbers.astype(np.uint8)


def through_jpeg(picture, quality=95):
    return tf.io.decode_image(tf.image.encode_jpeg(picture, quality=quality), expand_animations=False, dtype=tf.uint8)


def resized(picture, side):
    numbers = tf.image.resize(picture, (side, side), method="lanczos3", antialias=True)
    return tf.cast(tf.clip_by_value(tf.round(numbers), 0, 255), tf.uint8)


def cropped(picture, side):
    length = tf.sqrt(tf.constant(0.9))
    start = (1 - length) / 2
    box = tf.reshape(tf.stack([start, start, start + length, start + length]), (1, 4))
    numbers = tf.image.convert_image_dtype(picture, tf.float32)[None]
    numbers = tf.image.crop_and_resize(numbers, box, [0], (side, side))[0]
    return tf.image.convert_image_dtype(tf.clip_by_value(numbers, 0, 1), tf.uint8, saturate=True)


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (height, width, side) in PICTURES.items():
        seen = drawn(name, height, width)
        turned = through_jpeg(np.ascontiguousarray(seen[::-1, ::-1]))
        small = resized(turned, side)
        steps = {"seen": seen, "turned": turned.numpy(), "resized": small.numpy(), "cropped": cropped(small, side).numpy()}
        for step, pixels in steps.items():
            if name == "camera" and step in ("turned", "resized"):
                continue  # large, and its last step depends on them
            Image.fromarray(pixels).save(folder / f"{name}-{step}.png", optimize=True)


def write_digests(path):
    sizes = [(256, 256), (96, 128), (64, 64), (45, 53), (50, 66), (33, 40), (17, 31), (18, 22), (8, 9)]
    cases = [
        {"kind": kind, "height": height, "width": width, "quality": quality}
        for height, width in sizes
        for kind in ("noise", "waves", "blocks")
        for quality in (95, 30)
    ]
    for case in cases:
        seen = computed(case["kind"], case["height"], case["width"])
        case["sha256"] = hashlib.sha256(through_jpeg(seen, case["quality"]).numpy().tobytes()).hexdigest()
    path.write_text(json.dumps(cases))


folder = Path(__file__).parents[2] / "packages/vla/fixtures/images"
write(folder)
write_digests(folder / "jpeg.json")
