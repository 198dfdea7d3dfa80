"""Suites of ten tasks with fifty initial states each; a state is its number."""

from typing import NamedTuple


class Task(NamedTuple):
    name: str
    language: str
    problem_folder: str
    bddl_file: str


class Suite:
    def __init__(self, name: str):
        self._name = name

    def get_task(self, number: int) -> Task:
        return Task(
            name=f"PUSH_{number}",
            language=f"push block {number} to the right",
            problem_folder=self._name,
            bddl_file=f"push_{number}.bddl",
        )

    def get_task_init_states(self, _number: int):
        return list(range(50))


def get_benchmark_dict():
    names = ("libero_spatial", "libero_object", "libero_goal", "libero_10", "libero_90")
    return {name: (lambda name=name: Suite(name)) for name in names}
