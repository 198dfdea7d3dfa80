"""SimPO's and ORPO's losses by TRL, for packages/losses/src/reference-preferences.test.ts.

python write_preferences.py; it writes packages/losses/fixtures/preferences.json. Needs `pip install --no-deps trl==1.16.0` beside torch:
`CPOTrainer.cpo_loss` and `ORPOTrainer.odds_ratio_loss` are taken from TRL's files as they stand and run on an object with the settings that
they read, SimPO in float64; ORPO rounds to float32 itself. TRL's ORPO is to be read as −losses, to which it adds the loss of imitation.
"""

import ast
import importlib.util
import json
from pathlib import Path
from types import SimpleNamespace

import torch
import torch.nn.functional as F

PACKAGE = Path(importlib.util.find_spec("trl").origin).parent


def taken(file, name, space):
    tree = ast.parse((PACKAGE / file).read_text())
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)
    exec(compile(ast.Module([found], []), file, "exec"), space)
    return space[name]


def log1mexp():
    for file in sorted(PACKAGE.rglob("*.py")):
        if "def log1mexp" in file.read_text():
            return taken(file.relative_to(PACKAGE), "log1mexp", {"torch": torch})
    raise SystemExit("no log1mexp in this TRL")


SPACE = {"torch": torch, "F": F, "log1mexp": log1mexp()}
SIMPO = taken("experimental/cpo/cpo_trainer.py", "cpo_loss", SPACE)
ORPO = taken("experimental/orpo/orpo_trainer.py", "odds_ratio_loss", SPACE)


def case(loss, beta, gamma=0.0):
    chosen, rejected = (-4 * torch.rand(8, dtype=torch.float64) - 1e-3 for _ in range(2))
    chosen.requires_grad_(), rejected.requires_grad_()
    trainer = SimpleNamespace(
        beta=beta, simpo_gamma=gamma, alpha=0.0, label_smoothing=0.0, loss_type="simpo",
        accelerator=SimpleNamespace(device="cpu"),
    )
    losses = SIMPO(trainer, chosen, rejected)[0] if loss == "simpo" else -ORPO(trainer, chosen, rejected)[0]
    losses.sum().backward()
    return {
        "loss": loss, "beta": beta, "targetMargin": gamma,
        "chosen": chosen.tolist(), "rejected": rejected.tolist(), "losses": losses.tolist(),
        "chosenSlopes": chosen.grad.tolist(), "rejectedSlopes": rejected.grad.tolist(),
    }


torch.manual_seed(0)
cases = [case("simpo", 2.0, 1.0), case("simpo", 2.5, 0.5), case("simpo", 0.1), case("orpo", 0.1), case("orpo", 1.0)]
FILE = Path(__file__).parents[2] / "packages/losses/fixtures/preferences.json"
FILE.write_text(json.dumps(cases))
