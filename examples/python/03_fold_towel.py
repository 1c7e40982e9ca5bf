"""A gripper folds a towel: pins that a Python function moves.

    python 03_fold_towel.py   writes towel.png

A towel lies on a table. Two corners are gripped, carried over to the opposite edge on a half circle, and let go. The
towel touches itself and the table; nothing passes through anything, which an exact check confirms.

SPDX-License-Identifier: Apache-2.0
"""
import math
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import percale

SIZE, REACH, START, DURATION, LIFT = 0.5, 0.44, 0.1, 1.0, 0.015


def carry(time: float, positions: Any) -> None:
    """Half a circle about the middle of the towel, smoothly from rest to rest, and a little above where it began."""
    s = min(max((time - START) / DURATION, 0), 1)
    angle = math.pi * s * s * (3 - 2 * s)
    positions[:, 0] += REACH / 2 * (math.cos(angle) - 1)
    positions[:, 2] += REACH / 2 * math.sin(angle) + LIFT * s


towel = percale.Simulation(
    time=dict(step=5e-3), gravity=[0, 0, -9.81],
    contact=dict(enabled=True, thickness=3e-3, friction=0.5),
    bodies=[dict(name="towel", mesh=dict(grid=dict(size=[SIZE, 0.3], cells=[40, 24], pattern="alternating")),
                 place=dict(translate=[0, 0, 0.005]),
                 material=dict(stretch=300, density=0.3, bending=2e-5, damping=2e-3),
                 pins=[dict(select=dict(corners=[1, 2]), follow=carry, until=START + DURATION)])],
    colliders=[dict(shape="plane", axis=[0, 0, 1], friction=0.8)])

pictures = {}
for time in towel.frames(1.7, frames_per_second=20):
    for wanted in (0.0, 0.45, 0.75, 1.7):
        if abs(time - wanted) < 1e-6:
            pictures[wanted] = towel.positions.copy()
assert len(pictures) == 4

found = towel.check()
folded = np.ptp(towel.positions[:, 0]) / SIZE
print(f"folded to {folded:.0%} of its length; {found.crossings} intersections, nearest surfaces {found.distance * 1e3:.2f} mm apart")
assert found.crossings == 0 and folded < 0.65

figure = plt.figure(figsize=(9, 5))
for k, (time, x) in enumerate(pictures.items()):
    axes: Any = figure.add_axes((0.5 * (k % 2), 0.48 - 0.5 * (k // 2), 0.5, 0.55), projection="3d")
    axes.plot_trisurf(x[:, 0], x[:, 1], x[:, 2], triangles=towel.triangles, color="#9cc3ea", edgecolor="#274b73", lw=0.12)
    axes.set(xlim=(-0.24, 0.24), ylim=(-0.17, 0.17), zlim=(0, 0.24))
    axes.set_box_aspect((0.48, 0.34, 0.24), zoom=1.75)
    axes.view_init(24, -62)
    axes.set_axis_off()
    axes.text2D(0.12, 0.72, f"{time:g} s", transform=axes.transAxes)
figure.savefig("towel.png", dpi=150)
