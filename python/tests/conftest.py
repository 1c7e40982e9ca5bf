"""What the tests share. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

from percale.keys import MeshKeys

os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ["PERCALE_BACKEND"] = "cpu"  # what `auto` stands for: bits are compared with those of the program

ROOT = Path(__file__).resolve().parents[2]

GRID: MeshKeys = dict(grid=dict(size=[1, 1], cells=[8, 8]))
HANGING: dict[str, Any] = dict(
    time=dict(step=2e-3, duration=0.05, frames_per_second=100),
    bodies=[dict(name="cloth", mesh=GRID, place=dict(rotate=dict(axis=[1, 0, 0], degrees=90)),
                 pins=[dict(select=dict(corners=[0, 1]))])])
# Two sheets, one above the other.
SHEETS: dict[str, Any] = dict(
    time=dict(step=2e-3),
    contact=dict(enabled=True, thickness=2e-3),
    bodies=[dict(name="lower", mesh=GRID, pins=[dict(select="all")]),
            dict(name="upper", mesh=GRID, place=dict(translate=[0, 0, 0.05]))],
    gravity=[0, 0, -9.81])


@pytest.fixture
def program() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the program that was installed with the package."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "percale", *arguments], capture_output=True, text=True, check=False)

    return run


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How to run what failed alone, and the last line of every test program of the project."""
    for report in terminalreporter.stats.get("failed", []) + terminalreporter.stats.get("error", []):
        terminalreporter.write_line(f"    alone: {sys.executable} -m pytest {report.nodeid}")
    counts = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error")}
    terminalreporter.write_line(f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed")
