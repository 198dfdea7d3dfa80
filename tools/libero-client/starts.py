"""LIBERO's suites, and what a client offers of them: every initial state of a task is something to attempt."""

from typing import List, NamedTuple, Optional

SUITES = {"libero_spatial": 10, "libero_object": 10, "libero_goal": 10, "libero_10": 10, "libero_90": 90}
"""how many tasks each has"""
STATES = 50
"""fixed initial states of a task"""
LIMITS = {"libero_spatial": 220, "libero_object": 280, "libero_goal": 300, "libero_10": 520, "libero_90": 400}
"""actions after which published evaluations of OpenVLA and VLA-RL cut an episode off"""


class Start(NamedTuple):
    """As the wire's client reads games."""

    id: str
    """`<suite>/<task>/<state>`, both from 0"""
    type: Optional[str]
    path: str


class NoStarts(Exception):
    """There is nothing to play; the message says why."""


def starts_of(suites: List[str], tasks: Optional[List[int]], states: int) -> List[Start]:
    """In the order of suites, tasks and states. Raises NoStarts."""
    if states > STATES:
        raise NoStarts(f"--states {states}: a task has {STATES} initial states")
    for task in tasks or []:
        for suite in suites:
            if task >= SUITES[suite]:
                raise NoStarts(f"--task {task}: {suite} has tasks 0 to {SUITES[suite] - 1}")
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
