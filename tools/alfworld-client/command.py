"""Shared by the clients' command lines: flags, messages, exit statuses, parallel episodes."""

import argparse
import signal
import sys
import threading

from connection import Unavailable

# the exit statuses of `emac`
USAGE, MISSING, UNAVAILABLE, CHECK_FAILED, INTERRUPTED, TERMINATED = 64, 66, 69, 2, 130, 143


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def number(it: Parser, flag: str, least: int, default, what: str, unset: str = "") -> None:
    it.add_argument(flag, type=whole(least), default=default, metavar="N", help=f"{what} (default: {unset or default})")


def whole(least: int):
    def read(text: str) -> int:
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least}, got {text}")
        return int(text)

    return read


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def played_at_once(play, count: int) -> None:
    """Runs `play` in `count` threads; raises the first fault."""
    faults = []

    def place():
        try:
            play()
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=place, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) and not faults:
        for thread in threads:
            thread.join(0.1)
    if faults:
        raise faults[0]


def status_of(program, missing) -> int:
    """Runs the program, prints its error and returns the exit status; `missing`: the error class for absent games."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        return program()
    except missing as fault:
        say(str(fault))
        return MISSING
    except Unavailable as fault:
        say(str(fault))
        return UNAVAILABLE
    except ValueError as fault:
        say(str(fault))
        return USAGE
    except KeyboardInterrupt:
        say("stopped on request")
        return INTERRUPTED
