"""SimPO's, ORPO's and KTO's losses by TRL, for packages/losses/src/reference-preferences.test.ts.

python write_preferences.py; it writes packages/losses/fixtures/preferences.json. Needs `pip install --no-deps trl==1.16.0` beside torch:
`CPOTrainer.cpo_loss` and `ORPOTrainer.odds_ratio_loss` are taken from TRL's files as they stand and run on an object with the settings that
they read, SimPO in float64; ORPO rounds to float32 itself. TRL's ORPO is to be read as −losses, to which it adds the loss of imitation. Of KTO the statements of
`KTOTrainer._compute_loss` from the divergence to the losses are run.
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


def kto_losses():
    tree = ast.parse((PACKAGE / "trainer/kto_trainer.py").read_text())
    body = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "_compute_loss").body
    sets = lambda node, name: any(isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id == name for each in ast.walk(node))
    first = next(place for place, node in enumerate(body) if sets(node, "kl"))
    last = next(place for place, node in enumerate(body) if sets(node, "losses"))
    return compile(ast.Module(body[first : last + 1], []), "kto_trainer.py", "exec")


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


def kto_case(beta, weights, shift):
    random = lambda count=6: -8 * torch.rand(count, dtype=torch.float64)
    chosen, rejected = random().requires_grad_(), random().requires_grad_()
    reference = {"chosen": random(), "rejected": random()}
    trainer = SimpleNamespace(
        beta=beta, loss_type="kto", calculate_KL=True, desirable_weight=weights[0], undesirable_weight=weights[1],
        accelerator=SimpleNamespace(device="cpu", gather_for_metrics=lambda x: x),
    )
    mismatched, reference_mismatched = random(12), random(12) + shift
    space = {
        **SPACE, "self": trainer, "chosen_logps": chosen, "rejected_logps": rejected, "ref_chosen_logps": reference["chosen"],
        "ref_rejected_logps": reference["rejected"], "KL_logps": mismatched, "ref_KL_logps": reference_mismatched,
    }
    exec(KTO, space)
    space["losses"].mean().backward()
    return {
        "loss": "kto", "beta": beta, "desirableWeight": weights[0], "undesirableWeight": weights[1], "divergence": space["kl"].item(),
        "gap": (mismatched - reference_mismatched).mean().item(), "total": space["losses"].mean().item(),
        "chosen": chosen.tolist(), "rejected": rejected.tolist(),
        "referenceChosen": reference["chosen"].tolist(), "referenceRejected": reference["rejected"].tolist(),
        "chosenSlopes": chosen.grad.tolist(), "rejectedSlopes": rejected.grad.tolist(),
    }


KTO = kto_losses()
torch.manual_seed(0)
cases = [case("simpo", 2.0, 1.0), case("simpo", 2.5, 0.5), case("simpo", 0.1), case("orpo", 0.1), case("orpo", 1.0)]
FILE = Path(__file__).parents[2] / "packages/losses/fixtures/preferences.json"
FILE.write_text(json.dumps({"pairs": cases, "kto": [kto_case(0.1, (1.0, 1.0), -1), kto_case(0.5, (1.5, 0.5), -2), kto_case(0.1, (1.0, 1.0), 3)]}))
