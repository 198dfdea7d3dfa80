"""A Gymnasium environment as the wire needs it: one episode at a time, begun by its seed."""

import base64
import hashlib
import importlib
import json
import re
from typing import Dict, List, NamedTuple, Optional, Tuple

import gymnasium
import numpy as np

from png import png
from spaces import Part, Unsupported, actions_of, array_of, described_array, is_picture, is_text, parts_of, text_of
from state import Frame, WorldFault


class Making(NamedTuple):
    """How the environment is made."""

    id: str
    """as `gymnasium.make` takes it, perhaps `module:Id-v0`"""
    settings: Dict[str, object] = {}
    imports: Tuple[str, ...] = ()
    render: str = "auto"
    """auto, rgb_array, ansi or none"""
    max_steps: Optional[int] = None
    actions: Optional[List[str]] = None
    bins: Optional[int] = None
    rewards: Optional[Tuple[float, float]] = None


class Seen(NamedTuple):
    """The environment after a command."""

    text: str
    admissible: Optional[List[str]]
    picture: Optional[Frame]
    arrays: Dict[str, np.ndarray]
    reward: float = 0.0
    won: bool = False
    done: bool = False
    truncated: bool = False


class GymWorld:
    """Raises Unsupported if the environment cannot be described, and gymnasium's errors if it cannot be made."""

    def __init__(self, making: Making):
        for each in making.imports:
            importlib.import_module(each)
        self._env, self._render = made(making)
        parts = parts_of(self._env.observation_space)
        pictures = [part for part in parts if is_picture(part.space)]
        self._parts = parts
        self._picture_part: Optional[Part] = pictures[0] if pictures else None
        self._arrays = [
            part for part in parts if part is not self._picture_part and not is_text(part.space)
        ]
        self._actions = actions_of(self._env, making.actions, making.bins)
        self._pictures = False
        self._last: Optional[Seen] = None
        self.id = self._env.spec.id
        self.described = {
            "actions": self._actions.names,
            "arrays": {part.name: described_array(part) for part in self._arrays},
            "picture": self._picture_size(),
            "steps": step_limit(self._env, making),
            "rewards": list(making.rewards) if making.rewards else None,
        }

    @property
    def env(self):
        return self._env

    def begin(self, _game: str, seed: str, pictures: bool) -> Seen:
        self._pictures = pictures
        observation, info = self._env.reset(seed=number_of(seed))
        self._last = self._seen(observation, info)
        return self._last

    def step(self, command: str) -> Seen:
        """A command that names no action changes nothing; the text says why."""
        if self._last is None:
            raise WorldFault("no episode is running")
        try:
            action = self._actions.of(command)
        except ValueError as fault:
            return self._last._replace(text=one_page(str(fault)), reward=0.0)
        observation, reward, terminated, truncated, info = self._env.step(action)
        if not np.isfinite(reward):
            raise WorldFault(f"the reward {reward} is not finite")
        self._last = self._seen(observation, info)._replace(
            reward=float(reward),
            won=bool(info.get("is_success", info.get("success", False))),
            done=bool(terminated),
            truncated=bool(truncated),
        )
        return self._last

    def close(self) -> None:
        self._env.close()

    def _seen(self, observation, info: dict) -> Seen:
        described = self.described["arrays"]
        try:
            arrays = {part.name: array_of(part, observation, described[part.name]) for part in self._arrays}
        except ValueError as fault:
            raise WorldFault(str(fault)) from fault
        return Seen(
            text=self._text(observation),
            admissible=self._admissible(info),
            picture=self._picture(observation) if self._pictures else None,
            arrays=arrays,
        )

    def _text(self, observation) -> str:
        if self._render == "ansi":
            return one_page(marked(str(self._env.render())))
        return one_page(text_of([part for part in self._parts if part is not self._picture_part], observation))

    def _admissible(self, info: dict) -> Optional[List[str]]:
        """The actions of a mask, as Taxi gives one."""
        mask, names = info.get("action_mask"), self._actions.names
        if mask is None or names is None or len(mask) != len(names) or not np.any(mask):
            return None
        return [name for name, is_open in zip(names, mask) if is_open]

    def _picture(self, observation) -> Optional[Frame]:
        if self._picture_part is not None:
            return frame_of(self._picture_part.of(observation))
        return frame_of(self._env.render()) if self._render == "rgb_array" else None

    def _picture_size(self) -> Optional[dict]:
        if self._picture_part is None and self._render != "rgb_array":
            return None
        observation, _ = self._env.reset(seed=0)
        frame = self._picture(observation)
        return {"width": frame.width, "height": frame.height}


def made(making: Making):
    """The environment and its render mode, rgb_array where it has that and draws."""
    if making.render != "auto":
        mode = None if making.render == "none" else making.render
        return make(making, mode), mode
    plain = make(making, None)
    if "rgb_array" not in (plain.metadata.get("render_modes") or []):
        return plain, None
    drawn = make(making, "rgb_array")
    try:
        drawn.reset(seed=0)
        frame_of(drawn.render())
    except Exception:  # a package for drawing, or a display, is missing
        drawn.close()
        return plain, None
    plain.close()
    return drawn, "rgb_array"


def make(making: Making, render: Optional[str]):
    limit = {} if making.max_steps is None else {"max_episode_steps": making.max_steps}
    return gymnasium.make(making.id, render_mode=render, disable_env_checker=True, **limit, **making.settings)


def step_limit(env, making: Making) -> int:
    """MiniGrid has its limit as `max_steps`. Raises Unsupported without one."""
    limit = making.max_steps or env.spec.max_episode_steps or getattr(env.unwrapped, "max_steps", None)
    if limit:
        return int(limit)
    raise Unsupported(f"{making.id}: has no step limit; give one with --max-steps")


def number_of(seed: str) -> int:
    """The run sends whole numbers; another text is hashed."""
    return int(seed) if seed.isdigit() else int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big")


def frame_of(picture) -> Frame:
    pixels = np.ascontiguousarray(picture, dtype=np.uint8)
    if pixels.ndim != 3 or pixels.shape[2] != 3:
        raise WorldFault(f"a picture has shape {list(pixels.shape)}, not [height, width, 3]")
    return Frame(pixels.shape[1], pixels.shape[0], pixels.tobytes())


def marked(text: str) -> str:
    """Colours of a terminal as brackets: they mark a place."""
    return re.sub(r"\x1b\[[\d;]*m", "", re.sub(r"\x1b\[[1-9][\d;]*m(.*?)\x1b\[0m", r"[\1]", text))


def one_page(text: str) -> str:
    """As the wire takes it."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", " ", text)[:100_000]


def observation_of(seen: Seen) -> dict:
    """As the wire has it."""
    return {
        "text": seen.text,
        "admissible": seen.admissible,
        "picture": base64.b64encode(png(seen.picture)).decode() if seen.picture else None,
        "arrays": {name: sent_array(array) for name, array in seen.arrays.items()},
    }


def sent_array(array: np.ndarray) -> dict:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return {"shape": list(array.shape), "type": array.dtype.name, "data": base64.b64encode(little.tobytes()).decode()}


def setting(text: str) -> Tuple[str, object]:
    """`key=value` of `gymnasium.make`; the value is JSON, or a text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise ValueError(f"--make {text}: must be key=value")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
