"""Tests of the client without a run: `python tools/gymnasium-client/test_client.py`. They need gymnasium, no environment of it."""

import base64
import os
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "alfworld-client"))

import gymnasium  # noqa: E402
import numpy as np  # noqa: E402
from gymnasium import spaces  # noqa: E402

from checks import findings  # noqa: E402
from gym_world import GymWorld, Making, marked, number_of, observation_of, setting  # noqa: E402
from spaces import Unsupported, actions_of  # noqa: E402
from state import WorldFault  # noqa: E402


class Walk(gymnasium.Env):
    """A walk to place 3, in every kind of space; `fault` breaks one rule."""

    metadata = {"render_modes": ["rgb_array", "ansi"]}

    def __init__(self, render_mode=None, fault=None, action_space=None):
        self.render_mode = render_mode
        self._fault = fault
        self.action_space = action_space or spaces.Discrete(2, start=1)
        self.observation_space = spaces.Dict(
            {
                "place": spaces.Discrete(4),
                "wind": spaces.Box(-1, 1, (2,), np.float64),
                "grid": spaces.Box(0, 255, (2, 2), np.uint8),
                "mission": spaces.Text(30, charset="go n\x07"),
            }
        )

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._place = 0
        return self._observed(), {"action_mask": np.array([0, 1])}

    def step(self, action):
        self._place += 1 if action == 2 else 0
        chance = np.random.default_rng() if self._fault == "seeds" else self.np_random
        reward = {"rewards": float("nan"), "seeds": chance.random()}.get(self._fault, np.float32(0.5))
        return self._observed(), reward, self._place == 3, self._fault == "ends", {"is_success": self._place == 3}

    def _observed(self):
        wind = self.np_random.uniform(-1, 1, 2)
        return {
            "place": np.int64(self._place),
            "wind": np.full(2, np.inf) if self._fault == "infinite" else wind * (3 if self._fault == "space" else 1),
            "grid": np.zeros((3, 3) if self._fault == "shape" else (2, 2), np.uint8),
            "mission": "go\x07 on",
        }

    def render(self):
        if self.render_mode == "ansi":
            return "\x1b[41mS\x1b[0mF"
        return np.full((2, 3, 3), self._place, np.uint8)


gymnasium.register("Walk-v0", Walk, max_episode_steps=6)
gymnasium.register("Endless-v0", Walk)
SEED = "4503599627370494"


def broken(fault: str):
    return findings(Making("Walk-v0", {"fault": fault}), 40)


class TheDescription(unittest.TestCase):
    def test_has_actions_arrays_pictures_and_the_limit(self):
        world = GymWorld(Making("Walk-v0", rewards=(0, 0.5)))
        self.assertEqual(
            world.described,
            {
                "actions": ["1", "2"],
                "arrays": {
                    "place": {"shape": [], "type": "int32", "categories": [4]},
                    "wind": {"shape": [2], "type": "float32"},
                    "grid": {"shape": [2, 2], "type": "uint8", "scale": 1 / 255},
                },
                "picture": {"width": 3, "height": 2},
                "steps": 6,
                "rewards": [0, 0.5],
            },
        )

    def test_needs_a_limit(self):
        with self.assertRaisesRegex(Unsupported, "has no step limit; give one with --max-steps"):
            GymWorld(Making("Endless-v0"))
        self.assertEqual(GymWorld(Making("Endless-v0", max_steps=9)).described["steps"], 9)


class AnEpisode(unittest.TestCase):
    def test_sends_bytes_with_the_lowest_first(self):
        world = GymWorld(Making("Walk-v0"))
        world.begin(world.id, SEED, False)
        sent = observation_of(world.step("2"))
        self.assertEqual(sent["arrays"]["place"], {"shape": [], "type": "int32", "data": base64.b64encode(b"\1\0\0\0").decode()})
        self.assertEqual((sent["text"], sent["admissible"], sent["picture"]), ("go  on", None, None))

    def test_ends_with_its_own_words(self):
        world = GymWorld(Making("Walk-v0"))
        first = world.begin(world.id, SEED, True)
        self.assertEqual((first.admissible, first.picture.rgb), (["2"], b"\0" * 18))
        seen = [world.step("2") for _ in range(3)][-1]
        self.assertEqual((seen.reward, seen.won, seen.done, seen.truncated), (0.5, True, True, False))
        world.begin(world.id, SEED, True)
        seen = [world.step("1") for _ in range(6)][-1]
        self.assertEqual((seen.done, seen.truncated), (False, True))

    def test_goes_on_after_a_command_that_is_no_action(self):
        world = GymWorld(Making("Walk-v0"))
        world.begin(world.id, SEED, False)
        refused = world.step("jump")
        self.assertEqual((refused.text, refused.reward), ("jump: is no action; the actions are 1, 2", 0))
        self.assertEqual(world.step("2").arrays["place"], 1)

    def test_fails_with_numbers_that_are_not_finite(self):
        for fault, why in (("infinite", "wind holds a number that is not finite"), ("shape", r"grid has shape \[3, 3\]")):
            with self.assertRaisesRegex(WorldFault, why):
                world = GymWorld(Making("Walk-v0", {"fault": fault}, render="none"))
                world.begin(world.id, SEED, False)

    def test_shows_a_drawing_as_text(self):
        world = GymWorld(Making("Walk-v0", render="ansi"))
        self.assertEqual(world.begin(world.id, "0", False).text, "[S]F")


class Actions(unittest.TestCase):
    def of(self, space, **more):
        return actions_of(Walk(action_space=space), **more)

    def test_of_several_numbers_are_every_combination(self):
        two = self.of(spaces.MultiDiscrete([2, 3]))
        self.assertEqual(two.names, ["0 0", "0 1", "0 2", "1 0", "1 1", "1 2"])
        self.assertEqual(two.of("1 2").tolist(), [1, 2])

    def test_of_a_box_are_texts_or_bins(self):
        box = spaces.Box(-2, 2, (1,), np.float32)
        self.assertIsNone(self.of(box).names)
        self.assertEqual(self.of(box).of("5").tolist(), [2])
        with self.assertRaisesRegex(ValueError, "must be 1 numbers"):
            self.of(box).of("left")
        bins = self.of(box, bins=3)
        self.assertEqual((bins.names, bins.of("0").tolist()), (["-2", "0", "2"], [0]))

    def test_are_named_as_asked_and_not_too_many(self):
        self.assertEqual(self.of(spaces.Discrete(2), names=["a", "b"]).of("b"), 1)
        with self.assertRaisesRegex(Unsupported, "needs 2 different names, got 1"):
            self.of(spaces.Discrete(2), names=["a", "a"])
        with self.assertRaisesRegex(Unsupported, "4096 are too many"):
            self.of(spaces.MultiBinary(12))


class TheCheck(unittest.TestCase):
    def test_finds_nothing_in_an_environment_that_keeps_the_contract(self):
        self.assertEqual(findings(Making("Walk-v0", rewards=(0, 1)), 40), [])

    def test_finds_what_is_broken_in_one_sentence(self):
        self.assertIn("seeds: with seed 0 step 1 differs the second time", broken("seeds")[0])
        self.assertIn("ends: step 1 is cut off before the limit of 6", broken("ends")[0])
        self.assertIn("the reward nan is not finite", broken("rewards")[0])
        self.assertIn("observations: the declared space", broken("space")[0])
        outside = findings(Making("Walk-v0", rewards=(0, 0.25)), 40)
        self.assertEqual(outside, ["rewards: step 1 gives 0.5, declared are 0 to 0.25"])


class SmallThings(unittest.TestCase):
    def test_seeds_settings_and_colours(self):
        self.assertEqual(number_of(SEED), int(SEED))
        self.assertEqual(setting("is_slippery=false"), ("is_slippery", False))
        self.assertEqual(setting("map_name=8x8"), ("map_name", "8x8"))
        self.assertEqual(marked("\x1b[41mS\x1b[0mF\x1b[0m"), "[S]F")


if __name__ == "__main__":
    unittest.main()
