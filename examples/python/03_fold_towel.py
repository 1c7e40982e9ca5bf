"""A gripper folds a towel: pins moved by a Python function.

    python 03_fold_towel.py   writes towel.png

A towel lies on a table. Two corners are gripped, carried to the opposite edge on a half circle, and released. The
towel touches itself and the table without intersections, which an exact check confirms.

SPDX-License-Identifier: Apache-2.0
"""
import math
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection

import percale

SIZE, REACH, START, DURATION, LIFT = 0.5, 0.44, 0.1, 1.0, 0.015


def carry(time: float, positions: Any) -> None:
    """A half circle about the middle of the towel, from rest to rest, that ends a little above its initial height."""
    s = min(max((time - START) / DURATION, 0), 1)
    angle = math.pi * s * s * (3 - 2 * s)
    positions[:, 0] += REACH / 2 * (math.cos(angle) - 1)
    positions[:, 2] += REACH / 2 * math.sin(angle) + LIFT * s


towel = percale.Simulation(
    time=dict(step=5e-3), gravity=[0, 0, -9.81],
    contact=dict(enabled=True, thickness=3e-3, friction=0.5),
    bodies=[dict(name="towel", mesh=dict(grid=dict(size=[SIZE, 0.3], cells=[32, 20], pattern="alternating")),
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



def draw(axes: Any, x: Any, triangles: Any) -> None:
    """A parallel projection, distant triangles first; blue outside, light inside."""
    forward = np.array([0.35, 0.80, -0.5]) / np.linalg.norm([0.35, 0.80, -0.5])
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    seen = np.stack([x @ right, x @ np.cross(right, forward)], axis=1)
    corners = x[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    front = (normals @ forward < 0)[:, None]
    shade = 0.5 + 0.5 * abs(normals @ [0.36, -0.48, 0.8])[:, None]
    colours = np.where(front, [0.93, 0.90, 0.82], [0.30, 0.50, 0.74]) * shade
    order = np.argsort(-(corners.mean(axis=1) @ forward))
    axes.add_collection(PolyCollection(seen[triangles][order], facecolors=colours[order], edgecolors=colours[order], lw=0.4))
    axes.set(xlim=(-0.3, 0.31), ylim=(-0.14, 0.26), aspect="equal")
    axes.set_axis_off()


figure, row = plt.subplots(1, 4, figsize=(12, 2.4), layout="constrained")
for axes, (time, x) in zip(row, pictures.items()):
    draw(axes, x, towel.triangles)
    axes.set_title(f"{time:g} s")
figure.savefig("towel.png", dpi=150)
