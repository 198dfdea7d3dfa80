"""The games that a client offers: order and names as in `emac`."""

import json
import os
from typing import List, NamedTuple, Optional

TASK_TYPES = (
    "pick_and_place_simple",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_two_obj_and_place",
)
SPLITS = ("train", "valid_seen", "valid_unseen")


class Game(NamedTuple):
    id: str
    """`<task folder>/<trial folder>`, and `@<file name>` unless it is the usual name"""
    type: Optional[str]
    path: str


class NoGames(Exception):
    """There are no games; the message says why."""


def data_folder() -> str:
    """Where ALFWorld keeps its data."""
    return os.environ.get("ALFWORLD_DATA") or os.path.expanduser("~/.cache/alfworld")


def find_games(source: str, kind: str, wanted: Optional[List[str]] = None) -> List[Game]:
    """Games of a split of ALFWorld's data, of a folder or of one file, sorted by path; with `wanted` only these, in its order.

    `kind` is "text" (`*.tw-pddl`) or "thor" (`traj_data.json`). Skipped as in ALFWorld: movable receptacles, slices,
    and text games that are not marked solvable. Raises NoGames.
    """
    place = os.path.join(data_folder(), "json_2.1.1", source) if source in SPLITS else source
    if not os.path.exists(place):
        raise NoGames(f"--games {source}: {place} does not exist; get ALFWorld's data with `alfworld-download`")
    paths = sorted(files_in(place, kind)) if os.path.isdir(place) else [place]
    games = [game_of(path) for path in paths if can_be_played(path, kind)]
    if not games:
        raise NoGames(f"--games {source}: none of its {len(paths)} files is a playable game")
    if not wanted:
        return games
    by_id = {game.id: game for game in games}
    for each in wanted:
        if each not in by_id:
            raise NoGames(f"--game {each}: is not one of the {len(games)} games of {source}")
    return [by_id[each] for each in wanted]


def files_in(folder: str, kind: str):
    for root, _, names in os.walk(folder):
        for name in names:
            if name == "traj_data.json" if kind == "thor" else name.endswith(".tw-pddl"):
                yield os.path.join(root, name)


def game_of(path: str) -> Game:
    task, trial, name = os.path.abspath(path).split(os.sep)[-3:]
    kind = task.split("-", 1)[0]
    is_usual = name in ("game.tw-pddl", "traj_data.json")
    return Game(
        id=f"{task}/{trial}" + ("" if is_usual else f"@{name}"),
        type=kind if kind in TASK_TYPES else None,
        path=os.path.abspath(path),
    )


def can_be_played(path: str, kind: str) -> bool:
    """A damaged file counts as playable: playing it reports the damage."""
    if any(word in game_of(path).id for word in ("movable", "Sliced")):
        return False
    if kind == "thor":
        return True
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file).get("solvable") is True
    except ValueError:
        return True
