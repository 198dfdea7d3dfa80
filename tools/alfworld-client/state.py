"""The state after a command, the same for every environment of this client."""

from typing import List, NamedTuple, Optional


class Frame(NamedTuple):
    width: int
    height: int
    rgb: bytes
    """row by row from the top, three bytes a pixel"""


class State(NamedTuple):
    text: str
    """ALFWorld's text, unchanged"""
    admissible: Optional[List[str]]
    """every command accepted now; None if the environment can only guess"""
    frame: Optional[Frame]
    won: bool
    done: bool
    """the game is over, won or not"""
    gamefile: str
    """ALFWorld's `extra.gamefile`"""


class WorldFault(Exception):
    """The environment failed; the episode is lost, the next one may work."""
