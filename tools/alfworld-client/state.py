"""What every environment of this client says after a command, whatever plays it."""

from typing import List, NamedTuple, Optional


class Frame(NamedTuple):
    width: int
    height: int
    rgb: bytes
    """row by row from the top, three bytes a pixel"""


class State(NamedTuple):
    text: str
    """as ALFWorld gives it, not a character changed"""
    admissible: Optional[List[str]]
    """every command that is accepted now; None where the environment can only guess"""
    frame: Optional[Frame]
    won: bool
    done: bool
    """the game is over, won or not"""
    gamefile: str
    """what ALFWorld calls `extra.gamefile`"""


class WorldFault(Exception):
    """The environment could not carry out what it was asked; the episode is lost, the next one may work."""
