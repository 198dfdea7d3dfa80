"""An environment in a separate process.

ALFWorld's planner library never frees the memory of a game, and a simulator may hang or crash its process. Neither may
end a client that plays for days, so the process is replaced after a number of games and after every failure.
"""

import hashlib
import multiprocessing
import signal
import traceback
from typing import Callable, Optional

from state import State, WorldFault


class Worker:
    """The same calls as an environment; any fault is a WorldFault, after which `begin` starts a new process."""

    def __init__(self, make: Callable, games_per_process: int = 25, step_seconds: float = 100):
        """`make` is a function of a module, or a partial of one, that makes the environment."""
        self._make = make
        self._games_per_process = games_per_process
        self._step_seconds = step_seconds
        self._process: Optional[multiprocessing.Process] = None
        self._pipe = None
        self._games = 0

    def begin(self, path: str, seed: str, pictures: bool) -> State:
        if self._games >= self._games_per_process:
            self.close()
        if self._process is None:
            self._start()
        self._games += 1
        # starting ALFWorld takes long, a simulator longer
        return self._ask(("begin", path, number_of(seed), pictures), max(600.0, self._step_seconds))

    def step(self, command: str) -> State:
        if self._process is None:
            raise WorldFault("no game is running")
        return self._ask(("step", command), self._step_seconds)

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._pipe.close()
        process.join(5)
        if process.is_alive():
            process.kill()
            process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=serve, args=(other, self._make), daemon=True)
        self._process.start()
        other.close()
        self._games = 0

    def _ask(self, question, seconds: float) -> State:
        try:
            self._pipe.send(question)
            if not self._pipe.poll(seconds):
                raise WorldFault(f"{question[0]}: not done after {seconds:.0f} s")
            kind, value = self._pipe.recv()
        except (OSError, EOFError) as error:
            self._kill()
            raise WorldFault(f"{question[0]}: its process ended ({type(error).__name__})") from error
        except WorldFault:
            self._kill()
            raise
        if kind == "state":
            return value
        self._kill()
        raise WorldFault(value)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
        self.close()


def number_of(seed: str) -> int:
    """Equal texts give equal numbers, in every process."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big")


def serve(pipe, make) -> None:
    """The process: answers until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    world = make()
    try:
        while True:
            method, *values = pipe.recv()
            try:
                pipe.send(("state", getattr(world, method)(*values)))
            except Exception as error:  # whatever a simulator throws
                traceback.print_exc()
                pipe.send(("fault", f"{method}: {type(error).__name__}: {error}"))
    except EOFError:
        pass
    finally:
        world.close()
