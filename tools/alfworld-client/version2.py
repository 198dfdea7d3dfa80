"""Version 2 of the wire: the run sends orders, the client reports their results.

`docs/reference/wire.md` describes it, `GET /openapi.json` of a run exactly.
"""

import base64
import json
import re
from typing import Callable, List, Optional

from connection import Connection, Unavailable
from games import Game
from png import png
from state import State, WorldFault


def play(connection: Connection, world, games: List[Game], name: str, pictures: bool, say: Callable) -> None:
    """Executes the run's orders until it has ended. Raises Unavailable."""
    play_at(Place(connection, world, games, name, pictures, say), say)


def play_at(place: "Place", say: Callable) -> None:
    """The same for one client of the run. Raises Unavailable."""
    client = place.hello()
    report = {"kind": "nothing", "client": client}
    while client is not None:
        order = place.next(report)
        if order is None:
            # considered gone, or the run was resumed in another process: the episode is void
            say("the run no longer knows this client: says hello again")
            client = place.hello()
            report = {"kind": "nothing", "client": client}
        elif order["do"] == "finished":
            return
        elif order["do"] == "wait":
            report = {"kind": "nothing", "client": client}
        else:
            report = {"client": client, **place.carried_out(order)}


class Place:
    """One client of the run; plays one episode at a time."""

    def __init__(self, connection, world, games, name, pictures, say):
        self._connection = connection
        self._world = world
        self._paths = {game.id: game.path for game in games}
        self._hello = {
            "version": 2,
            "name": name,
            "games": [{"id": game.id, "type": game.type} for game in games],
            "pictures": pictures,
        }
        self._say = say
        self._episode: Optional[str] = None
        self._pictures = False

    def hello(self) -> Optional[str]:
        """The run's name for this client; None if the run has ended."""
        self._episode = None
        status, welcome = self._post("/v2/hello", self._hello)
        if status == 409 and code_of(welcome) == "finished":
            return None
        if status != 200:
            raise refusal(self._connection, status, welcome)
        return welcome["client"]

    def next(self, report) -> Optional[dict]:
        """The next order; None if the run does not know this client."""
        status, order = self._post("/v2/next", report)
        if status == 409 and code_of(order) == "out_of_step":
            status, order = self._post("/v2/next", {"kind": "nothing", "client": report["client"]})
        if status == 409 and code_of(order) == "finished":
            return {"do": "finished"}
        if status == 404:
            return None
        if status != 200:
            raise refusal(self._connection, status, order)
        return order

    def carried_out(self, order: dict) -> dict:
        """The report on an order. A fault of the world costs only the episode."""
        of = {"episode": order["episode"], "step": order.get("step", 0)}
        try:
            if order["do"] == "begin":
                return {"kind": "begun", **of, "observation": self.seen(self._begun(order))}
            if order["episode"] != self._episode:
                raise WorldFault("this episode is not running here")
            state = self._world.step(order["command"])
            return {"kind": "stepped", **of, "observation": self.seen(state), **self.outcome(state)}
        except WorldFault as fault:
            self._say(f"{of['episode']}: {fault}")
            self._episode = None
            return {"kind": "failed", **of, "reason": one_line(str(fault))}

    def seen(self, state) -> dict:
        return observation(state)

    def outcome(self, state) -> dict:
        return outcome(state)

    def _begun(self, order: dict):
        self._episode = None
        path = self._paths.get(order["game"])
        if path is None:
            raise WorldFault(f"there is no game {order['game']} here")
        state = self._world.begin(path, order["seed"], order["pictures"])
        self._episode = order["episode"]
        return state

    def _post(self, path: str, message: dict):
        body = json.dumps(message).encode()
        reply = self._connection.post(path, body, {"Content-Type": "application/json"})
        try:
            return reply.status, json.loads(reply.body)
        except ValueError:
            return reply.status, None


def observation(state: State) -> dict:
    picture = base64.b64encode(png(state.frame)).decode() if state.frame else None
    return {"text": state.text, "admissible": state.admissible, "picture": picture}


def outcome(state: State) -> dict:
    """ALFWorld's reward is 1 with the command that wins; its `done` without a win is ALFWorld's own limit."""
    return {
        "reward": 1 if state.won else 0,
        "won": state.won,
        "done": state.won,
        "truncated": state.done and not state.won,
    }


def one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", text)[:300]


def code_of(refused) -> Optional[str]:
    error = refused.get("error") if isinstance(refused, dict) else None
    return error.get("code") if isinstance(error, dict) else None


def refusal(connection: Connection, status: int, refused) -> Unavailable:
    said = refused["error"]["message"] if code_of(refused) else "it does not speak version 2 of the wire"
    return Unavailable(f"{connection.url}: refused with status {status}: {said}")
