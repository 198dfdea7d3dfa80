"""A hand that moves along one line; the goal holds once it is a metre to the right with its gripper closed.

The picture is black but for two corners as LIBERO draws them, upside down. The first pixel is (1, 2, 3). The last one says what
the environment was told: how often it was told to do nothing before anything else, its initial state, and how many actions
came after. Task 9 breaks at its 13th step, those at the start counted.
"""


class SimulatorBroke(Exception):
    pass


class Pixels:
    """What the client uses of an array."""

    def __init__(self, size: int, rgb: bytes):
        self.shape = (size, size, 3)
        self._rgb = rgb

    def tobytes(self) -> bytes:
        return self._rgb


class OffScreenRenderEnv:
    def __init__(self, bddl_file_name: str, camera_heights: int, camera_widths: int):
        assert bddl_file_name.startswith("/simulated/bddl_files/libero_"), bddl_file_name
        assert camera_heights == camera_widths
        self._breaks = bddl_file_name.endswith("push_9.bddl")
        self._size = camera_heights
        self._seed = None
        self._is_reset = False

    def seed(self, seed: int) -> None:
        self._seed = seed

    def reset(self):
        assert self._seed == 0, "published evaluations have seed 0"
        self._is_reset = True

    def set_init_state(self, state: int):
        assert self._is_reset, "reset comes first"
        self._is_reset = False
        self._state, self._place, self._settled, self._acted = state, 0.0, 0, 0
        return self._seen()

    def step(self, action):
        assert len(action) == 7
        if self._acted == 0 and list(action) == [0, 0, 0, 0, 0, 0, -1]:
            self._settled += 1
        else:
            self._acted += 1
        if self._breaks and self._settled + self._acted == 13:
            raise SimulatorBroke("the simulator has ended")
        self._place += action[0]
        done = self._place >= 1 and action[6] > 0
        return self._seen(), 1.0 if done else 0.0, done, {}

    def close(self) -> None:
        pass

    def _seen(self):
        middle = bytes(3 * (self._size * self._size - 2))
        rgb = bytes((1, 2, 3)) + middle + bytes((self._settled, self._state, self._acted % 256))
        return {"agentview_image": Pixels(self._size, rgb)}
