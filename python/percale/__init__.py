"""percale: simulation of elastic membranes (cloth, rubber sheets, thin shells) with contact.

A cloth hanging from two corners::

    import percale

    simulation = percale.Simulation(
        time=dict(step=2e-3),
        bodies=[dict(mesh=dict(grid=dict(size=[1, 1], cells=[30, 30])),
                     pins=[dict(select=dict(corners=[2, 3]))])])
    report = simulation.run(1.0)
    print(report.time, simulation.positions[:, 1].min())

Keywords are the keys of scene files (docs/scene.md), units are SI. A `Scene` describes, a `Simulation` computes, a
`Mesh` holds arrays; failures raise `Error`. See docs/python.md.

SPDX-License-Identifier: Apache-2.0
"""
from . import keys
from ._library import lib as _lib
from ._library import text as _text
from ._report import ErrorCode, Report
from .checks import CheckResult, Crossing, ccd_edge_edge, ccd_point_triangle, check
from .errors import DeviceError, Error, FileError, InputError, OutOfMemory, Problem, StateError, StoppedError
from .export import Recording
from .keys import MATERIAL_MODELS
from .live import CONTACT, Collider, Grab
from .material import Material
from .mesh import Mesh, make_mesh, read_mesh, write_mesh
from .scene import Scene, SceneBody, StartClose, StartCrossing, StartReport
from .simulation import Bodies, Body, Simulation

__version__: str = _text(_lib.prc_version())

__all__ = [
    "CONTACT", "MATERIAL_MODELS", "Bodies", "Body", "CheckResult", "Collider", "Crossing", "DeviceError", "Error", "ErrorCode",
    "FileError", "Grab", "InputError", "Material", "Mesh", "OutOfMemory", "Problem", "Recording", "Report", "Scene",
    "SceneBody", "Simulation", "StartClose", "StartCrossing", "StartReport", "StateError", "StoppedError",
    "ccd_edge_edge", "ccd_point_triangle", "check", "keys", "make_mesh", "read_mesh", "write_mesh",
]
