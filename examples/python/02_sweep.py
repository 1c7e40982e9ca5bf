"""A parameter sweep with a plot: the deflection of a strip for many bending stiffnesses.

    python 02_sweep.py        writes sweep.png

A strip is clamped at one end and droops under its weight. For small deflections, theory gives a
tip deflection of q L^4 / (8 D), where D is the bending stiffness of a wide strip; very soft strips hang straight down.
The simulations run in parallel threads: the library releases Python's global interpreter lock.

SPDX-License-Identifier: Apache-2.0
"""
from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np

import percale

LENGTH, WIDTH, DENSITY, GRAVITY = 0.2, 0.05, 0.2, 9.81


def droop(bending: float) -> float:
    """Depth of the tip of a strip below its clamp at rest, m."""
    simulation = percale.Simulation(
        time=dict(step=0.02), threads=1, gravity=[0, 0, -GRAVITY],
        bodies=[dict(mesh=dict(strip=dict(length=LENGTH, width=WIDTH, cells=[24, 6])),
                     material=dict(model="stvk", stretch=2000, poisson=0, density=DENSITY, bending=bending, mass_damping=10),
                     pins=[dict(select=dict(box=dict(max=[-LENGTH / 2 + LENGTH / 24 * 1.01, 1, 1])))])])
    for _ in range(500):
        if simulation.step().largest_speed < 1e-4 and simulation.time > 0.1:
            break
    tip = simulation.positions[:, 0].argmax() if bending > 1e-4 else simulation.positions[:, 2].argmin()
    return -float(simulation.positions[tip, 2])


stiffnesses = np.logspace(-6, -1, 21)
with ThreadPoolExecutor() as pool:
    droops = np.array(list(pool.map(droop, stiffnesses)))

free = LENGTH * 23.5 / 24  # both sides of the first row of cells are held, so the clamp is in the middle of it
theory = DENSITY * GRAVITY * free**4 / (8 * stiffnesses)
stiff = theory < 0.05 * free
error = abs(droops[stiff] / theory[stiff] - 1).max()
print(f"{len(stiffnesses)} simulations; small deflections are within {error:.1%} of theory")
assert error < 0.02 and np.all(np.diff(droops) < 1e-4)

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.loglog(stiffnesses, theory, "--", color="0.6", label="beam theory, small deflections: $qL^4/8D$")
axes.axhline(free, color="0.8", lw=1)
axes.text(stiffnesses[0], free * 1.06, "free length", color="0.5", fontsize=9)
axes.loglog(stiffnesses, droops, "o-", color="tab:blue", ms=4, label="percale")
axes.set(xlabel="bending stiffness D (N·m)", ylabel="droop of the tip (m)", ylim=(droops.min() / 1.5, 1))
axes.grid(alpha=0.3)
axes.legend(frameon=False)
figure.savefig("sweep.png", dpi=150)
