"""LIBERO's suites and the episodes that a client offers: one for every initial state of a task."""

from typing import List, NamedTuple, Optional

SUITES = {"libero_spatial": 10, "libero_object": 10, "libero_goal": 10, "libero_10": 10, "libero_90": 90}
"""number of tasks of each suite"""
STATES = 50
"""fixed initial states of a task"""
LIMITS = {"libero_spatial": 220, "libero_object": 280, "libero_goal": 300, "libero_10": 520, "libero_90": 400}
"""step limits in published evaluations of OpenVLA and VLA-RL"""


class Start(NamedTuple):
    """In the form of a game of the wire's client."""

    id: str
    """`<suite>/<task>/<state>`, both from 0"""
    type: Optional[str]
    path: str


class NoStarts(Exception):
    """There are no such initial states; the message says why."""


def starts_of(suites: List[str], tasks: Optional[List[int]], states: int) -> List[Start]:
    """In the order of suites, tasks and states. Raises NoStarts."""
    if states > STATES:
        raise NoStarts(f"--states: must be at most the {STATES} initial states of a task, got {states}")
    for task in tasks or []:
        for suite in suites:
            if task >= SUITES[suite]:
                raise NoStarts(f"--task: must be a task of {suite}, 0 to {SUITES[suite] - 1}, got {task}")
    names = [
        (f"{suite}/{task}", state)
        for suite in dict.fromkeys(suites)
        for task in (dict.fromkeys(tasks) if tasks else range(SUITES[suite]))
        for state in range(states)
    ]
    return [Start(id=f"{task}/{state}", type=task, path=f"{task}/{state}") for task, state in names]


def read_start(name: str):
    """Suite, task and state of an id."""
    suite, task, state = name.split("/")
    return suite, int(task), int(state)
