"""`--check`: whether an environment keeps the contract of the wire. Each finding is one sentence."""

from typing import Callable, List

import numpy as np

from gym_world import GymWorld, Making, Seen
from state import WorldFault

SEEDS = ("0", "1", "2251799813685248")
ENDS = 20


def findings(making: Making, steps: int) -> List[str]:
    """All faults found in walks of so many random steps for each seed. Raises what making the environment raises."""
    found = []
    for check in (observations, rewards, ends, seeds, pictures):
        try:
            found += check(making, steps)
        except WorldFault as fault:
            found.append(f"{check.__name__}: {fault}")
    return list(dict.fromkeys(found))


def walk(world: GymWorld, seed: str, steps: int, heard: Callable, beside: Callable = lambda: None) -> None:
    """Random steps, over several episodes; `heard` gets every state, the step in its episode, and gymnasium's own result."""
    chance = np.random.default_rng(1)
    actions = commands(world, chance)
    episode = 0
    step = 0
    heard(world.begin(world.id, seed, False), 0)
    for _ in range(steps):
        seen = world.step(actions())
        step += 1
        heard(seen, step)
        beside()
        if seen.done or seen.truncated:
            episode += 1
            step = 0
            heard(world.begin(world.id, str(int(seed) + episode), False), 0)


def commands(world: GymWorld, chance) -> Callable[[], str]:
    names = world.described["actions"]
    if names is not None:
        return lambda: names[int(chance.integers(len(names)))]
    space = world.env.action_space
    space.seed(1)
    return lambda: " ".join(repr(float(each)) for each in np.ravel(space.sample()))


def observations(making: Making, steps: int) -> List[str]:
    """The space contains them; `GymWorld` compares shapes and looks for numbers that are not finite."""
    world = GymWorld(making)
    space = world.env.observation_space
    found = []
    inner = world.env.step

    def watched(action):
        result = inner(action)
        if not space.contains(result[0]) and not found:
            found.append(f"observations: the declared space {space} does not contain {result[0]!r}"[:300])
        return result

    world.env.step = watched
    try:
        walk(world, SEEDS[0], steps, lambda *_: None)
    finally:
        world.close()
    return found


def rewards(making: Making, steps: int) -> List[str]:
    """Within the declared range; `GymWorld` refuses those that are not finite."""
    world = GymWorld(making)
    declared = world.described["rewards"]
    found = []

    def heard(seen: Seen, step: int) -> None:
        if declared and not declared[0] <= seen.reward <= declared[1] and not found:
            found.append(f"rewards: step {step} gives {seen.reward:g}, declared are {declared[0]:g} to {declared[1]:g}")

    try:
        walk(world, SEEDS[0], steps, heard)
    finally:
        world.close()
    return found


def ends(making: Making, steps: int) -> List[str]:
    """A limit is `truncated`, no other end is."""
    world = GymWorld(making)
    limit = world.described["steps"]
    found = []

    def heard(seen: Seen, step: int) -> None:
        if seen.truncated and step < limit:
            found.append(f"ends: step {step} is cut off before the limit of {limit}; report an end of the task as terminated")
        if step >= limit and not (seen.done or seen.truncated):
            found.append(f"ends: step {step} is not cut off at the limit of {limit}; give --max-steps")
        if len(found) > 3:
            raise WorldFault("no further ends are looked at")

    try:
        walk(world, SEEDS[0], max(steps, limit + 1), heard)
    except WorldFault as fault:
        if not found:
            raise fault
    finally:
        world.close()
    return found[:1]


def seeds(making: Making, steps: int) -> List[str]:
    """Equal seeds and actions give equal steps, also while another environment plays."""
    found = []
    for seed in SEEDS:
        alone = recorded(making, seed, steps)
        other = GymWorld(making)
        other.begin(other.id, "5", False)
        act = commands(other, np.random.default_rng(2))

        def beside() -> None:
            seen = other.step(act())
            if seen.done or seen.truncated:
                other.begin(other.id, "6", False)

        try:
            again = recorded(making, seed, steps, beside)
        finally:
            other.close()
        differs = next((place for place, (one, two) in enumerate(zip(alone, again)) if one != two), None)
        if differs is not None:
            found.append(
                f"seeds: with seed {seed} step {differs} differs the second time, while another environment plays; draw from self.np_random alone"
            )
    return found[:1]


def recorded(making: Making, seed: str, steps: int, beside: Callable = lambda: None) -> list:
    world = GymWorld(making)
    record = []

    def heard(seen: Seen, _step: int) -> None:
        arrays = [(name, array.tobytes()) for name, array in seen.arrays.items()]
        record.append((seen.text, seen.admissible, arrays, seen.reward, seen.won, seen.done, seen.truncated))

    try:
        walk(world, seed, steps, heard, beside)
    finally:
        world.close()
    return record


def pictures(making: Making, _steps: int) -> List[str]:
    """All have the declared size, and show equal states alike."""
    world = GymWorld(making)
    size = world.described["picture"]
    try:
        if size is None:
            return []
        shown = []
        for _ in range(2):
            act = commands(world, np.random.default_rng(3))
            frames = [world.begin(world.id, SEEDS[0], True).picture]
            for _ in range(5):
                seen = world.step(act())
                frames.append(seen.picture)
                if seen.done or seen.truncated:
                    break
            shown.append(frames)
        odd = next((frame for frame in shown[0] if (frame.width, frame.height) != (size["width"], size["height"])), None)
        if odd is not None:
            return [f"pictures: one has {odd.width} × {odd.height} pixels, declared are {size['width']} × {size['height']}"]
        return [] if shown[0] == shown[1] else ["pictures: equal seeds and actions are drawn differently"]
    finally:
        world.close()
