"""The published wire of EMMA and EMAC: one message, one command; the client brings the games, round after round.

    [#OBSERVATION]…[#HISTORY]…[#INFORMATION]{…}[#TYPE]…[#DONE]…[#IMAGE]…

The answer is Python's repr of a list of one text. In both directions a header carries the body's MD5.
"""

import ast
import hashlib
import json
from typing import Callable, List, Optional

from connection import Connection, Unavailable
from games import Game
from state import Frame, State, WorldFault

SKIP = "SKIP"


def play(
    connection: Connection,
    world,
    games: List[Game],
    pictures: bool,
    say: Callable,
    rounds: Optional[int] = None,
    max_steps: Optional[int] = None,
) -> None:
    """Plays the games in their order, round after round, until the run no longer answers.

    Raises Unavailable if the run never answered, Refused if it rejected a message.
    """
    was_there = False

    def answered() -> None:
        nonlocal was_there
        was_there = True

    played = 0
    try:
        while rounds is None or played < rounds:
            for game in games:
                try:
                    play_game(connection, world, game, pictures, max_steps, answered)
                except WorldFault as fault:
                    # at the next message the run treats this game as abandoned
                    say(f"{game.id}: {fault}")
            played += 1
    except Refused:
        raise
    except Unavailable:
        # this wire has no message for the end of a run
        if not was_there:
            raise


class Refused(Unavailable):
    """The server rejects these messages; repeating them is useless."""


def play_game(connection, world, game: Game, pictures: bool, max_steps: Optional[int], answered: Callable) -> None:
    state = world.begin(game.path, game.id, pictures)
    history, kind, steps = state.text, "/".join(game.id.split("@")[0].split("/")[:2]), 0
    while True:
        command = answer(connection, message(state, history, kind))
        answered()
        if command == SKIP or state.done or steps == max_steps:
            return
        state = world.step(command)
        history += f"\n> {command}\n{state.text}"
        kind, steps = "", steps + 1


def message(state: State, history: str, kind: str) -> bytes:
    """The body of a message. INFORMATION holds lists of one, as ALFWorld's batches do."""
    information = {"won": [state.won], "extra.gamefile": [state.gamefile]}
    if state.admissible is not None:
        information["admissible_commands"] = [state.admissible]
    fields = {
        "OBSERVATION": state.text,
        "HISTORY": history,
        "INFORMATION": repr(information),
        "TYPE": kind,
        "DONE": str(state.done),
        "IMAGE": json.dumps(nested(state.frame)),
    }
    return "".join(f"[#{tag}]{value}" for tag, value in fields.items()).encode()


def nested(frame: Optional[Frame]) -> list:
    """Height × width × 3 whole numbers, red first."""
    if frame is None:
        return []
    width, height, rgb = frame
    pixels = [list(rgb[at : at + 3]) for at in range(0, len(rgb), 3)]
    return [pixels[row * width : (row + 1) * width] for row in range(height)]


def answer(connection: Connection, body: bytes) -> str:
    """The command. Raises Unavailable."""
    reply = connection.post("/", body, {"MD5": md5(body)})
    if reply.status != 200:
        raise Refused(f"{connection.url}: rejected a message with status {reply.status}")
    if reply.headers.get("MD5") != md5(reply.body):
        raise Refused(f"{connection.url}: its answer does not match its MD5")
    try:
        command = ast.literal_eval(reply.body.decode())[0]
    except (ValueError, SyntaxError, IndexError, TypeError) as error:
        raise Refused(f"{connection.url}: its answer is not a list of one text") from error
    if not isinstance(command, str):
        raise Refused(f"{connection.url}: its answer is not a list of one text")
    return command


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()
