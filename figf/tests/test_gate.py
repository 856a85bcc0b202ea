"""The gate: what every commit passes before its behaviour is even looked at."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        "ruff check .",
        "ruff format --check .",
        "mypy .",
        "lint-imports",
    ],
)
def test_the_gate_is_clean(command: str) -> None:
    program, *arguments = command.split()
    done = subprocess.run(
        [BINARIES / program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
