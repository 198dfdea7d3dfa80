"""AlfredThorEnv as far as a client sees it: batches of threads, each with a queue; frames with blue first."""

import json
import os
import random
import threading
from queue import Queue

from alfworld.room import Room

SIDE = 300


class Pixels:
    """What of an array of bytes is used; numpy is not needed for a test."""

    shape = (SIDE, SIDE, 3)

    def __init__(self, blue: int, green: int, red: int):
        self._pixel = bytes((blue, green, red))

    def tobytes(self) -> bytes:
        return self._pixel * (SIDE * SIDE)


class AlfredThorEnv:
    class Thor(threading.Thread):
        def __init__(self, queue, train_eval="train"):
            threading.Thread.__init__(self)
            self.action_queue = queue
            self.train_eval = train_eval
            self._res = ()

        def run(self):
            """An exception ends the thread, and whoever asks after it waits for ever."""
            for command, resets, task in iter(self.action_queue.get, None):
                try:
                    (self.reset if resets else self.step)(task if resets else command)
                finally:
                    self.action_queue.task_done()

        def init_env(self, config):
            self.limit = config["dagger"]["training"]["max_nb_steps_per_episode"]
            assert config["controller"]["type"] == "oracle"

        def reset(self, task_file):
            with open(task_file, encoding="utf-8") as file:
                self.room = Room(json.load(file))
            self.traj_root = os.path.dirname(task_file)
            self.steps = 0
            self._done = False
            self._res = self.get_info()

        def step(self, action):
            if not self._done:
                self.room.step(action)
                self._res = self.get_info()
            self.steps += 1

        def get_info(self):
            won = self.room.won()
            self._done = won or self.steps > self.limit
            return self.room.feedback, self._done, self.room.admissible(), won

        def get_results(self):
            return self._res

        def get_last_frame(self):
            """Where the agent is decides how blue it is; red is 200, green 100."""
            place = 0 if self.room.at is None else 1 + self.room.names.index(self.room.at)
            return Pixels(10 * place, 100, 200)

    def __init__(self, config, train_eval="train"):
        self.config = config
        self.train_eval = train_eval
        self.get_env_paths()

    def get_env_paths(self):
        raise NotImplementedError("the stand-in has no data of its own")

    def init_env(self, batch_size):
        self.batch_size = batch_size
        self.envs, self.action_queues = [], []
        for _ in range(batch_size):
            queue = Queue()
            env = self.Thor(queue, self.train_eval)
            env.daemon = True
            env.start()
            env.init_env(self.config)
            self.action_queues.append(queue)
            self.envs.append(env)
        return self

    def reset(self):
        tasks = random.sample(self.json_file_list, k=self.batch_size)
        for queue, task in zip(self.action_queues, tasks):
            queue.put((None, True, task))
        obs, _dones, infos = self.wait_and_get_info()
        return obs, infos

    def step(self, actions):
        for queue, action in zip(self.action_queues, actions):
            queue.put((action, False, ""))
        obs, dones, infos = self.wait_and_get_info()
        return obs, None, dones, infos

    def wait_and_get_info(self):
        for queue in self.action_queues:
            queue.join()
        results = [env.get_results() for env in self.envs]
        texts, dones, admissible, wons = (list(each) for each in zip(*results))
        infos = {
            "admissible_commands": admissible,
            "won": wons,
            # the folder, not the file
            "extra.gamefile": [env.traj_root for env in self.envs],
            "extra.expert_plan": [[] for _ in self.envs],
        }
        return texts, dones, infos

    def get_frames(self):
        return [env.get_last_frame() for env in self.envs]

    def close(self):
        pass
