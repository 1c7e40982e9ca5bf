"""The stress–strain curve of every material model, with a simulated tension test of each.

    python 04_stress_strain.py     writes stress_strain.png

Lines come from the law alone (`percale.Material`): nominal stress along a strip that is free to narrow. Dots are
simulated: a patch is stretched between clamps of the correct width, starting too wide in between. It relaxes to its
equilibrium width, and the stress is read per vertex.

SPDX-License-Identifier: Apache-2.0
"""
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import percale

# All models that take a modulus have 500 N/m at rest; these need other parameters.
MORE: dict[str, dict[str, Any]] = dict(
    sum=dict(terms=[dict(model="a3", stretch=300), dict(model="b1", stretch=200)]),
    mooney_rivlin=dict(coefficients=[62.5, 20.8]), yeoh=dict(coefficients=[83.3, 10, 5]),
    ogden=dict(coefficients=[83.3, 30], exponents=[2, 5]), fung=dict(stretch=500, exponents=[2]),
    orthotropic=dict(stretch_warp=500, stretch_weft=250, shear=150, poisson=0.2),
    curve=dict(curve=[[0.5, -300], [1, 0], [1.2, 60], [1.4, 220], [1.6, 600]]))


def material(model: str) -> dict[str, Any]:
    return dict(model=model, bending=0, **MORE.get(model, dict(stretch=500)))


def pull(model: str, stretch: float) -> float:
    """Simulated nominal stress along a stretched patch with free sides, N/m."""
    patch = percale.make_mesh(grid=dict(size=[0.1, 0.1], cells=[6, 6]))
    across, _ = percale.Material(**material(model)).stretch_freely(stretch)
    moved = patch.positions * [stretch, 1, 1]
    clamped = abs(patch.positions[:, 0]) > 0.0499
    moved[clamped, 1] *= float(across)
    simulation = percale.Simulation(gravity=[0, 0, 0], threads=1, time=dict(step=1e3), bodies=[dict(
        mesh=percale.Mesh(moved, patch.triangles), rest=patch, material=material(model),  # type: ignore[typeddict-item]
        pins=[dict(select=dict(vertices=np.flatnonzero(clamped)))])])
    simulation.run(2e3)  # two steps, so long that inertia is negligible: equilibrium
    middle = ~clamped
    # Cauchy stress is per deformed width; this converts it to nominal stress.
    return float((simulation.stresses[middle, 0] * simulation.stretches[middle, 1]).mean())


models = percale.MATERIAL_MODELS
stretches = np.linspace(0.8, 1.5, 71)
figure, grid = plt.subplots(4, 6, figsize=(12, 7.4), sharex=True, layout="constrained")
worst = 0.0
for axes, model in zip(grid.flat, models):
    law = percale.Material(**material(model))
    _, stress = law.stretch_freely(stretches)
    measured = {l: pull(model, l) for l in (1.1, 1.3, 1.5)}
    expected = {l: float(law.stretch_freely(l)[1]) for l in measured}
    worst = max([worst] + [abs(measured[l] / expected[l] - 1) for l in measured])
    axes.axhline(0, color="0.85", lw=0.8)
    axes.plot(stretches, stress, color="tab:blue")
    axes.plot(list(measured), list(measured.values()), "o", color="tab:orange", ms=4)
    axes.set_title(model, fontsize=10)
    axes.grid(alpha=0.25)
for axes in grid.flat[len(models):]:
    axes.set_axis_off()
figure.supxlabel("stretch along the strip")
figure.supylabel("nominal stress (N/m)")
figure.savefig("stress_strain.png", dpi=120)
print(f"{len(models)} materials; simulated stresses are within {worst:.1e} of the law")
assert worst < 1e-3
