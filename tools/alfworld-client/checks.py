"""`--check`: requirements of a long run, each with a remedy if it is missing."""

import http.client
import importlib
import importlib.metadata
import os
import shutil
import socket
import sys
import tempfile

from connection import Connection
from games import NoGames, find_games
from worker import Worker
from state import WorldFault

ALFWORLD = "0.4.2"
THOR_BUILD = "thor-201909061227-Linux64"


class Missing(Exception):
    """The message names the remedy."""


def all_there(options, make) -> bool:
    """Prints a line for every check; True if nothing is missing."""
    checks = [("Python", python), ("packages", packages), ("games", games), ("disk", disk)]
    if options.env == "thor":
        checks += [("display", display), ("simulator", simulator)]
    checks += [("a game", lambda given: first_game(given, make)), ("the run", the_run)]
    found = [checked(name, check, options) for name, check in checks]
    missing = found.count(False)
    print("nothing is missing" if missing == 0 else f"missing: {missing} of {len(found)}", flush=True)
    return missing == 0


def checked(name: str, check, options) -> bool:
    try:
        print(f"ok       {name}: {check(options)}", flush=True)
        return True
    except Missing as missing:
        print(f"missing  {name}: {missing}", flush=True)
        return False


def python(_options) -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < (3, 9):
        raise Missing(f"{version} is too old; use 3.9 or newer")
    return version


def packages(options) -> str:
    wanted = ["alfworld.info", "textworld.gym", "fast_downward"]
    if options.env == "thor":
        wanted = ["alfworld.info", "ai2thor.controller", "cv2", "torch"]
    file = "requirements.txt" if options.env == "text" else "requirements-thor.txt"
    for each in wanted:
        try:
            importlib.import_module(each)
        except Exception as error:  # a package may fail in any way while it is imported
            raise Missing(f"{each} does not import ({error}); pip install -r {file}") from error
    version = importlib.metadata.version("alfworld")
    note = "" if version == ALFWORLD else f", tested with {ALFWORLD}"
    return f"alfworld {version}{note}"


def games(options) -> str:
    try:
        found = find_games(options.games, options.env, options.game)
    except NoGames as error:
        raise Missing(str(error)) from error
    return f"{len(found)}, the first is {found[0].id}"


def disk(options) -> str:
    """Space for unpacked games, and for the simulator unless it is already downloaded."""
    needed = 2.0 if options.env == "thor" and not os.path.isdir(thor_folder()) else 0.2
    places = {tempfile.gettempdir()} | ({os.path.expanduser("~")} if options.env == "thor" else set())
    for place in sorted(places):
        free = shutil.disk_usage(place).free / 1e9
        if free < needed:
            raise Missing(f"{place} has {free:.1f} GB free; free {needed} GB")
    return f"at least {needed} GB free in {', '.join(sorted(places))}"


def display(_options) -> str:
    """Whether an X server answers on the simulator's display."""
    name = os.environ.get("DISPLAY", "")
    host, _, screen = name.partition(":")
    number = screen.split(".")[0]
    if not number.isdigit():
        raise Missing("DISPLAY is not set; start an X server with OpenGL, then `export DISPLAY=:0`")
    path = f"/tmp/.X11-unix/X{number}"
    try:
        if host in ("", "unix"):
            with socket.socket(socket.AF_UNIX) as server:
                server.connect(path)
        else:
            socket.create_connection((host, 6000 + int(number)), 5).close()
    except OSError as error:
        raise Missing(f"{name} does not answer ({error}); start an X server with OpenGL on it") from error
    return name


def thor_folder() -> str:
    return os.path.expanduser(os.path.join("~", ".ai2thor", "releases", THOR_BUILD))


def simulator(_options) -> str:
    if not os.path.isdir(thor_folder()):
        raise Missing(f"{thor_folder()} does not exist; the first game downloads it (390 MB), so play one game before the run")
    return thor_folder()


def first_game(options, make) -> str:
    world = Worker(make, step_seconds=options.step_seconds)
    try:
        game = find_games(options.games, options.env, options.game)[0]
        world.begin(game.path, "check", options.env == "thor")
        text = world.step("look").text
    except (NoGames, WorldFault) as error:
        raise Missing(f"the first game fails: {error}") from error
    finally:
        world.close()
    return f"`look` says: {text.splitlines()[0][:60] if text else 'nothing'}"


def the_run(options) -> str:
    connection = Connection(options.connect, retry_seconds=0, reply_seconds=10)
    try:
        reply = connection.get("/healthz")
    except (OSError, http.client.HTTPException) as error:
        raise Missing(f"{connection.url} does not answer ({error}); start `emac train --world http` first") from error
    if reply.status in (401, 403, 421):
        raise Missing(
            f"{connection.url} refuses this machine or its token (status {reply.status}); see --host and --allow of the run"
        )
    if reply.status != 200 or b'"ok"' not in reply.body:
        raise Missing(f"{connection.url} is not a run: /healthz answers {reply.status}")
    return connection.url
