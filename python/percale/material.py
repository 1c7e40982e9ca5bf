"""Material laws: energy and stress at given stretches.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._library import Doubles, ffi, lib
from .errors import check_result, new_error
from .scene import Scene

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keys import MaterialKeys


class Material:
    """A material as a scene describes it: ``Material(model="stvk", stretch=500, poisson=0.3)``."""

    def __init__(self, **keys: Unpack[MaterialKeys]) -> None:
        self.keys: dict[str, Any] = dict(keys)
        scene = Scene(bodies=[dict(mesh=dict(grid=dict(cells=[1, 1])), material=keys)])
        self._definition = ffi.new("prc_material_def *", scene._read.definition.bodies[0].material)

    def __repr__(self) -> str:
        return "percale.Material(%s)" % ", ".join(f"{key}={value!r}" for key, value in self.keys.items())

    def evaluate(self, l1: npt.ArrayLike, l2: npt.ArrayLike) -> tuple[Doubles, Doubles]:
        """Energy per rest area (J/m²) and the two nominal stresses (N/m) at principal stretches l1 and l2: the law that
        the solver uses. For arrays, energies have their common shape, and stresses a last axis of two more."""
        a, b = np.broadcast_arrays(np.asarray(l1, np.float64), np.asarray(l2, np.float64))
        energies, stresses = np.empty(a.shape), np.empty(a.shape + (2,))
        energy, stress, error = ffi.new("double *"), ffi.new("double[2]"), new_error()
        for index in np.ndindex(a.shape):
            check_result(lib.prc_material_evaluate(self._definition, a[index], b[index], energy, stress, error), error)
            energies[index] = energy[0]
            stresses[index] = stress[0], stress[1]
        return energies, stresses

    def stretch_freely(self, l1: npt.ArrayLike) -> tuple[Doubles, Doubles]:
        """Uniaxial tension: the second stretch at which there is stress along the first direction only, and the nominal
        stress (N/m) along it."""
        along = np.asarray(l1, np.float64)
        across, stress = np.empty(along.shape), np.empty(along.shape)
        for index in np.ndindex(along.shape):
            across[index] = self._free_stretch(float(along[index]))
            stress[index] = self.evaluate(along[index], across[index])[1][0]
        return across, stress

    def _free_stretch(self, l1: float) -> float:
        """Bisection on the second stress, which grows with the second stretch."""
        low, high = 0.05, 3.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if self.evaluate(l1, middle)[1][1] > 0:
                high = middle
            else:
                low = middle
        return 0.5 * (low + high)
