"""LIBERO (Liu et al. 2023, arXiv 2306.03310): one episode at a time, with start and picture as in OpenVLA's evaluation.

A command is seven numbers with blanks between them: motion and turn of the hand, and the gripper, -1 open and 1 closed,
as LIBERO takes them. The picture comes from the camera before the table, turned by 180 degrees, as in OpenVLA's
data. The text is the instruction. LIBERO's `done` means success; a step limit cuts the episode off.
"""

import math
import os
from typing import List, Optional

from starts import LIMITS, read_start
from state import Frame, State

NO_OPERATION = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]


class LiberoWorld:
    shows_pictures = True

    def __init__(self, size: int = 256, settle: int = 10, max_steps: Optional[int] = None):
        self._size = size
        self._settle = settle
        self._max_steps = max_steps
        self._suites = {}
        self._env = None
        self._task = None
        self._now: Optional[State] = None

    def begin(self, path: str, _seed: int, pictures: bool) -> State:
        """The seed changes nothing: an initial state is fixed, and published evaluations have seed 0 everywhere."""
        suite, number, state = read_start(path)
        task = self._suite(suite).get_task(number)
        if self._task != (suite, number):
            self.close()
            self._env = environment(task, self._size)
            self._task = (suite, number)
        self._pictures, self._name = pictures, path
        self._text, self._steps = task.language, 0
        self._limit = self._max_steps or LIMITS[suite]
        self._env.seed(0)
        self._env.reset()
        seen = self._env.set_init_state(self._suite(suite).get_task_init_states(number)[state])
        for _ in range(self._settle):
            seen, _reward, _done, _info = self._env.step(list(NO_OPERATION))
        return self._shown(seen, False)

    def step(self, command: str) -> State:
        if self._now.done:
            return self._now
        action = action_of(command)
        if action is None:
            return self._now._replace(text="An action is seven finite numbers with blanks between them.")
        seen, _reward, done, _info = self._env.step(action)
        self._steps += 1
        return self._shown(seen, bool(done))

    def close(self) -> None:
        if self._env is not None:
            self._env.close()
        self._env, self._task = None, None

    def _suite(self, name: str):
        if name not in self._suites:
            from libero.libero import benchmark

            self._suites[name] = benchmark.get_benchmark_dict()[name]()
        return self._suites[name]

    def _shown(self, seen, won: bool) -> State:
        self._now = State(
            text=self._text,
            admissible=None,
            frame=turned(seen["agentview_image"]) if self._pictures else None,
            won=won,
            done=won or self._steps >= self._limit,
            gamefile=self._name,
        )
        return self._now


def environment(task, size: int):
    """The simulator of a task."""
    from libero.libero import get_libero_path
    from libero.libero.envs import OffScreenRenderEnv

    file = os.path.join(get_libero_path("bddl_files"), task.problem_folder, task.bddl_file)
    return OffScreenRenderEnv(bddl_file_name=file, camera_heights=size, camera_widths=size)


def action_of(command: str) -> Optional[List[float]]:
    """None if the text is not an action."""
    try:
        numbers = [float(word) for word in command.split()]
    except ValueError:
        return None
    return numbers if len(numbers) == 7 and all(map(math.isfinite, numbers)) else None


def turned(pixels) -> Frame:
    """An array, height × width × 3 bytes, turned by 180 degrees: the last pixel is the first."""
    height, width, _ = pixels.shape
    given = pixels.tobytes()
    rgb = bytearray(len(given))
    for channel in range(3):
        rgb[channel::3] = given[channel::3][::-1]
    return Frame(width, height, bytes(rgb))
