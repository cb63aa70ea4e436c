"""What is imported, and so how soon the first answer is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "PIL",
    "httpx",
    "huggingface_hub",
    "matplotlib",
    "pandas",
    "ray",
    "scipy",
    "sklearn",
    "sympy",
    "torch._dynamo",
    "torch._inductor",
    "torch.distributed.tensor",
    "transformers",
}
COMMAND = (
    "import sys; sys.argv = ['gmask', *{arguments!r}]; from gmask.cli import main\ntry: main()\nexcept SystemExit: pass"
)
PAIR = ["a man plays", "a person plays"]


def imported(code):
    """The modules there are once code has run in a process of its own."""
    end = "\nimport sys; print('\\n' + ' '.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code + end], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split())


def test_the_package_itself_imports_next_to_nothing():
    found = imported("import gmask")
    assert not found & {*HEAVY, "numpy", "torch", "typer", "rich"}
    assert {name for name in found if name.startswith("gmask")} == {"gmask"}


@pytest.mark.parametrize("arguments", [["--help"], ["explain", "--help"], ["bench", "--help"]])
def test_help_needs_neither_numbers_nor_models(arguments):
    assert not imported(COMMAND.format(arguments=arguments)) & {*HEAVY, "numpy", "torch"}


@pytest.mark.parametrize("model", ["nli", "nli-dattn"])
def test_a_model_of_the_package_explains_a_pair_with_nothing_but_torch(model):
    arguments = ["explain", *PAIR, "--model", model, "--method", "leave-one-out"]
    found = imported(COMMAND.format(arguments=arguments))
    assert "torch" in found
    assert not found & HEAVY
