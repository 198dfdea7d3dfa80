"""ALFWorld's embodied games: AI2-THOR with ALFWorld's own controllers, one game at a time.

ALFWorld draws its games itself, in batches; here the batch is one, and the list holds only the requested
game. Its admissible commands are a guess from the texts (with `move`, which ALFWorld 0.4.2 rejects here), so they are
not sent. Frames are blue, green, red in ALFWorld; this client turns them to red, green, blue.
"""

import random

from state import Frame, State, WorldFault

# the run has its own limit; ALFWorld's would end unfinished games
NO_LIMIT = 10**9


class ThorWorld:
    shows_pictures = True

    def __init__(self, controller: str = "oracle", human_goals: float = 0.0):
        self._config = config(controller, human_goals)
        self._env = None
        self._pictures = False

    def begin(self, path: str, seed: int, pictures: bool) -> State:
        if self._env is None:
            # not the training split: ALFWorld's own expert would play along
            env = one_game_env()(self._config, train_eval="eval_out_of_distribution")
            self._env = env.init_env(batch_size=1)
        self._pictures = pictures
        # the wording of the goal is drawn
        random.seed(seed)
        self._env.chosen = path
        self._env.get_env_paths()
        texts, infos = self._faultless(self._env.reset)
        return self._state(texts, [False], infos)

    def step(self, command: str) -> State:
        texts, _rewards, dones, infos = self._faultless(self._env.step, [command])
        return self._state(texts, dones, infos)

    def close(self) -> None:
        if self._env is not None:
            self._env.close()
        self._env = None

    def _faultless(self, act, *values):
        """ALFWorld's answer. After a fault of its thread the answer is stale or missing, so the fault is raised."""
        try:
            return act(*values)
        finally:
            fault = self._env.envs[0].fault
            if fault is not None:
                raise WorldFault(f"AI2-THOR: {type(fault).__name__}: {fault}")

    def _state(self, texts, dones, infos) -> State:
        return State(
            text=texts[0],
            admissible=None,
            frame=frame_of(self._env.get_frames()[0]) if self._pictures else None,
            won=bool(infos["won"][0]),
            done=bool(dones[0]),
            gamefile=infos["extra.gamefile"][0],
        )


def one_game_env():
    """ALFWorld's environment with a list of one game; its thread reports faults."""
    from alfworld.agents.environment.alfred_thor_env import AlfredThorEnv

    class OneGameEnv(AlfredThorEnv):
        chosen = None

        def get_env_paths(self):
            self.json_file_list = [] if self.chosen is None else [self.chosen]
            self.num_games = len(self.json_file_list)

        class Thor(AlfredThorEnv.Thor):
            """Catches exceptions: they would end ALFWorld's thread, and the next answer would never come."""

            fault = None

            def reset(self, task_file):
                return self._caught(super().reset, task_file)

            def step(self, action):
                return self._caught(super().step, action)

            def _caught(self, act, value):
                try:
                    return act(value)
                except Exception as error:
                    self.fault = error

    return OneGameEnv


def frame_of(pixels) -> Frame:
    """From an array, height × width × 3 bytes, blue first."""
    height, width, _ = pixels.shape
    turned = bytearray(pixels.tobytes())
    turned[0::3], turned[2::3] = turned[2::3], turned[0::3]
    return Frame(width, height, bytes(turned))


def config(controller: str, human_goals: float) -> dict:
    """The part of ALFWorld's configuration that it reads here."""
    return {
        "dataset": {
            "data_path": "",
            "eval_id_data_path": "",
            "eval_ood_data_path": "",
            "num_train_games": -1,
            "num_eval_games": -1,
        },
        "env": {
            "task_types": [1, 2, 3, 4, 5, 6],
            "goal_desc_human_anns_prob": human_goals,
            "thor": {
                "screen_width": 300,
                "screen_height": 300,
                "smooth_nav": False,
                "save_frames_to_disk": False,
                "save_frames_path": "",
            },
        },
        "controller": {"type": controller, "debug": False, "load_receps": True},
        "mask_rcnn": {"pretrained_model_path": "$ALFWORLD_DATA/detectors/mrcnn.pth"},
        "general": {"training_method": "dagger"},
        "dagger": {"training": {"max_nb_steps_per_episode": NO_LIMIT}},
    }
