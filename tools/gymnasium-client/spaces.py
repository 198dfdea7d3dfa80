"""Spaces of Gymnasium on the wire: observations as named arrays, a picture and a text; actions as numbered names."""

import enum
import itertools
import math
from typing import Callable, List, NamedTuple, Optional, Tuple

import numpy as np
from gymnasium import spaces

MOST_ACTIONS = 1000
MOST_CATEGORIES = 64
# a smaller one is rather a grid of cells
LEAST_PICTURE = 32
MOST_NUMBERS_IN_TEXT = 64


class Unsupported(Exception):
    """One sentence: what cannot be sent, and the remedy."""


class Part(NamedTuple):
    """A part of an observation."""

    path: Tuple
    space: spaces.Space
    name: str

    def of(self, observation):
        for key in self.path:
            observation = observation[key]
        return observation


def parts_of(space: spaces.Space, path: Tuple = ()) -> List[Part]:
    """The parts of an observation, in the order of the space."""
    if isinstance(space, spaces.Dict):
        return [part for key, each in space.spaces.items() for part in parts_of(each, (*path, key))]
    if isinstance(space, spaces.Tuple):
        return [part for key, each in enumerate(space.spaces) for part in parts_of(each, (*path, key))]
    return [Part(path, space, ".".join(map(str, path)) or "observation")]


def is_text(space: spaces.Space) -> bool:
    """MiniGrid's missions are texts in a space of its own."""
    return isinstance(space, spaces.Text) or getattr(space.dtype, "kind", None) == "U"


def is_picture(space: spaces.Space) -> bool:
    return (
        isinstance(space, spaces.Box)
        and space.dtype == np.uint8
        and len(space.shape) == 3
        and space.shape[2] == 3
        and min(space.shape[:2]) >= LEAST_PICTURE
    )


def described_array(part: Part) -> dict:
    """The description of an array. Raises Unsupported."""
    space = part.space
    if isinstance(space, spaces.Discrete):
        return {"shape": [], "type": "int32", "categories": [int(space.n)]}
    if isinstance(space, spaces.MultiDiscrete):
        categories = [int(each) for each in space.nvec.ravel()]
        few = {"categories": categories} if len(categories) <= MOST_CATEGORIES else {}
        return {"shape": list(space.shape), "type": "int32", **few}
    if isinstance(space, spaces.MultiBinary):
        return {"shape": list(space.shape), "type": "uint8"}
    if isinstance(space, spaces.Box):
        kind = type_of(space)
        scale = {"scale": 1 / 255} if kind == "uint8" and np.all(space.high == 255) else {}
        return {"shape": list(space.shape), "type": kind, **scale}
    raise Unsupported(
        f"observation {part.name}: {type(space).__name__} is no array; wrap the environment so that it gives arrays"
    )


def type_of(space: spaces.Box) -> str:
    if space.dtype.kind == "f":
        return "float32"
    if space.dtype == np.uint8 or space.dtype == np.bool_:
        return "uint8"
    return "int32"


def array_of(part: Part, observation, described: dict) -> np.ndarray:
    """Raises ValueError for numbers that are not finite, do not fit the type, or have another shape."""
    value = np.asarray(part.of(observation))
    start = getattr(part.space, "start", 0)
    if np.any(start):
        value = value - start
    if list(value.shape) != described["shape"]:
        raise ValueError(f"observation {part.name} has shape {list(value.shape)}, declared {described['shape']}")
    if not np.all(np.isfinite(value)):
        raise ValueError(f"observation {part.name} holds a number that is not finite")
    cast = value.astype(described["type"])
    if described["type"] != "float32" and not np.array_equal(cast, value):
        raise ValueError(f"observation {part.name} holds a number that is not of type {described['type']}")
    return cast


def text_of(parts: List[Part], observation) -> str:
    """Its texts; without any, its numbers if they are few."""
    texts = [str(part.of(observation)) for part in parts if is_text(part.space)]
    if texts:
        return "\n".join(texts)
    numbers = [(part.name, np.ravel(part.of(observation))) for part in parts]
    if sum(len(values) for _, values in numbers) > MOST_NUMBERS_IN_TEXT:
        return ""
    return "\n".join(f"{name}: {' '.join(f'{float(value):.4g}' for value in values)}" for name, values in numbers)


class Actions(NamedTuple):
    names: Optional[List[str]]
    """None: commands are numbers with blanks between them"""
    of: Callable[[str], object]
    """The action of a command. Raises ValueError for a command that names none."""


def actions_of(env, names: Optional[List[str]] = None, bins: Optional[int] = None) -> Actions:
    """Raises Unsupported for a space that has no numbers or names of actions."""
    space = env.action_space
    if isinstance(space, spaces.Box) and bins is None:
        if names is not None:
            raise Unsupported("--actions: names numbered actions, which a box has with --bins only")
        return Actions(None, lambda command: boxed(space, command))
    found = list(numbered(space, bins))
    given = names or own_names(env, len(found)) or [name for name, _ in found]
    if len(given) != len(found) or len(set(given)) != len(found):
        raise Unsupported(f"--actions: needs {len(found)} different names, got {len(set(given))}")
    by_name = dict(zip(given, (action for _, action in found)))

    def named(command: str):
        if command not in by_name:
            raise ValueError(f"{command}: is no action; the actions are {', '.join(given[:20])}")
        return by_name[command]

    return Actions(given, named)


def numbered(space: spaces.Space, bins: Optional[int]):
    """Names and actions, in order."""
    if isinstance(space, spaces.Discrete):
        require_few(int(space.n))
        return [(str(int(space.start) + each), int(space.start) + each) for each in range(int(space.n))]
    if isinstance(space, spaces.MultiDiscrete):
        axes = [range(int(start), int(start + count)) for start, count in zip(np.ravel(space.start), space.nvec.ravel())]
    elif isinstance(space, spaces.MultiBinary):
        axes = [range(2)] * int(np.prod(space.shape))
    elif isinstance(space, spaces.Box):
        if not np.all(np.isfinite([space.low, space.high])):
            raise Unsupported("--bins: needs a box with finite bounds; wrap the environment")
        axes = [np.linspace(low, high, bins) for low, high in zip(space.low.ravel(), space.high.ravel())]
    else:
        raise Unsupported(
            f"actions: {type(space).__name__} has no numbers or names; wrap the environment so that its actions are discrete"
        )
    require_few(math.prod(len(axis) for axis in axes))
    return [
        (" ".join(f"{value:g}" for value in each), np.array(each, dtype=space.dtype).reshape(space.shape))
        for each in itertools.product(*axes)
    ]


def require_few(count: int) -> None:
    if count > MOST_ACTIONS:
        raise Unsupported(f"actions: {count} are too many to number, at most {MOST_ACTIONS}; give fewer --bins, or wrap the environment")


def own_names(env, count: int) -> Optional[List[str]]:
    """As Atari's `get_action_meanings` or MiniGrid's enumeration `actions` has them."""
    meanings = getattr(env.unwrapped, "get_action_meanings", None)
    if callable(meanings):
        return [str(each).lower() for each in meanings()]
    actions = getattr(env.unwrapped, "actions", None)
    is_enumeration = isinstance(actions, type) and issubclass(actions, enum.IntEnum)
    if is_enumeration and [int(each) for each in actions] == list(range(count)):
        return [each.name.lower() for each in actions]
    return None


def boxed(space: spaces.Box, command: str) -> np.ndarray:
    try:
        values = [float(each) for each in command.split()]
    except ValueError:
        values = []
    count = int(np.prod(space.shape))
    if len(values) != count or not np.all(np.isfinite(values)):
        raise ValueError(f"{command}: must be {count} numbers with blanks between them")
    return np.clip(np.array(values, dtype=space.dtype).reshape(space.shape), space.low, space.high)
