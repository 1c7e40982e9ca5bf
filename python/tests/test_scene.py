"""Claims about scenes, meshes, materials and checks in Python. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import keyword
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import percale
from conftest import GRID, HANGING, ROOT, SHEETS

Program = Callable[..., "subprocess.CompletedProcess[str]"]

BAD = ("percale: 1\ntime: {step: -1}\nbodies:\n  - mesh: {grid: {cells: [2, 2]}}\n    material: {densty: 2}\n"
       "    pins: [{select: {vertices: [99]}}]\n")


def test_a_file_has_the_messages_of_the_program(tmp_path: Path, program: Program) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(BAD)
    told = program("info", str(file)).stderr
    with pytest.raises(percale.InputError) as caught:
        percale.Scene(file)
    problems = caught.value.problems
    assert len(problems) == 3 and caught.value.code is percale.ErrorCode.INPUT
    for problem in problems:
        assert problem.message + "\n" in told
    assert str(caught.value) == "\n".join(problem.message for problem in problems)
    assert (problems[0].line, problems[0].column) == (2, 14) and "time: {step: -1}" in problems[0].source
    with pytest.raises(percale.FileError) as missing:
        percale.Scene(tmp_path / "none.yaml")
    assert str(missing.value) in program("info", str(tmp_path / "none.yaml")).stderr
    assert isinstance(missing.value, OSError)


def test_code_has_the_same_messages_without_places() -> None:
    with pytest.raises(ValueError) as caught:
        percale.Scene(time=dict(step=-1), bodies=[dict(mesh=dict(grid=dict(cells=[2, 2])), material={"densty": 2},  # type: ignore[typeddict-unknown-key]
                                                       pins=[dict(select=dict(vertices=[99]))])])
    assert str(caught.value).split("\n") == [
        "time.step: -1 is not allowed; expected a number > 0 s",
        "bodies[0].material.densty: unknown key; did you mean 'density'?",
        "bodies[0].pins[0].select: there is no vertex 99; the mesh has vertices 0 to 8"]


def test_changes_of_a_file_are_those_of_the_option_set() -> None:
    flag = ROOT / "scenes" / "flag.yaml"
    scene = percale.Scene(flag, time=dict(duration=0.25), set={"bodies[0].mesh.grid.cells": [4, 3]})
    assert scene.duration == 0.25 and len(scene.bodies[0].mesh.positions) == 20
    assert scene.changed(time=dict(step=0.125)).step == 0.125 and scene.step != 0.125
    with pytest.raises(percale.InputError, match=r"^time.step: -1 is not allowed"):
        scene.changed(time=dict(step=-1))
    with pytest.raises(percale.InputError, match="unknown key"):
        percale.Scene(flag, set={"bodies[0].wrong": 1})
    swapped = percale.Scene(flag, set={"bodies[0].mesh": percale.make_mesh(grid=dict(cells=[2, 2])), "bodies[0].pins": []})
    assert len(swapped.bodies[0].mesh.positions) == 9


def test_what_cannot_be_in_a_scene_is_named() -> None:
    with pytest.raises(percale.InputError, match=r"bodies\[0\].mesh.grid.cells: a set cannot be part"):
        percale.Scene(bodies=[dict(mesh=dict(grid=dict(cells={1, 2})))])  # type: ignore[typeddict-item]
    with pytest.raises(percale.InputError, match="3 is not a key"):
        percale.Scene({3: 4})  # type: ignore[dict-item]
    with pytest.raises(percale.InputError, match="the program that reads the scene provides no mesh 'x'"):
        percale.Scene(bodies=[dict(mesh=dict(memory="x"))])


def test_none_is_as_if_it_were_not_there_and_infinity_is_forever() -> None:
    percale.Scene(bodies=[dict(mesh=GRID, name=None, pins=[dict(select="all", until=float("inf"))])])  # type: ignore[typeddict-item]


@pytest.mark.parametrize("mesh, message", [
    (dict(positions=[[0, 0, 0]], triangles=[[0, 1, 2]]), "bodies[0].mesh"),
    (dict(positions=np.zeros((3, 2)), triangles=[[0, 1, 2]]), "mesh: positions has the shape (3, 2); expected (n, 3)"),
    (dict(positions=np.zeros((3, 3)), triangles=[[0, 1, 1.5]]), "mesh: triangles is an array of float64; expected whole numbers"),
    (dict(positions=[[0, 0, 0], [1, 0, 0], [0, 1, np.nan]], triangles=[[0, 1, 2]]), "bodies[0].mesh"),
    (dict(positions=[["a", 0, 0]], triangles=[[0, 1, 2]]), "mesh: positions is an array of"),
    (dict(positions=np.zeros((3, 3)), triangles=[[0, 1, 2]], texture=np.zeros((2, 2))), "mesh: texture has the shape (2, 2)"),
    (dict(positions=np.zeros((0, 3)), triangles=np.zeros((0, 3), int)), "bodies[0].mesh"),
])
def test_bad_arrays_are_refused(mesh: Any, message: str) -> None:
    with pytest.raises(percale.InputError) as caught:
        percale.Scene(bodies=[dict(mesh=mesh)])
    assert message in str(caught.value)


def test_bad_arrays_of_obstacles_are_refused_too() -> None:
    for positions, corner in (([[0, 0, 0], [1, 0, 0], [0, np.inf, 0]], 2), ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 3)):
        with pytest.raises(percale.InputError, match=r"obstacles\[0\].mesh: (the position of vertex 2|triangle 0 names vertex 3)"):
            percale.Scene({**SHEETS, "obstacles": [dict(mesh=dict(positions=positions, triangles=[[0, 1, corner]]))]})


def test_a_start_is_examined() -> None:
    scene = percale.Scene(SHEETS)
    assert not scene.examine_start()
    bad = scene.changed(bodies=[dict(mesh=GRID), dict(mesh=GRID, place=dict(rotate=dict(axis=[1, 0, 0], degrees=90)))])
    report = bad.examine_start()
    assert report and report.crossings and {report.crossings[0].edge_body, report.crossings[0].triangle_body} == {0, 1}
    with pytest.raises(percale.InputError, match="cross|intersect"):
        percale.Simulation(bad)
    assert percale.Simulation(bad, contact=dict(start="exempt")).step().exempt_pairs > 0
    with pytest.raises(percale.InputError, match="contact.enabled is false"):
        percale.Scene(HANGING).examine_start()


def test_meshes_survive_files(tmp_path: Path) -> None:
    mesh = percale.make_mesh(ribbon=dict(cells=[6, 2]))
    assert mesh.texture is not None
    for ending in ("obj", "ply", "vtk", "stl"):
        percale.write_mesh(tmp_path / f"m.{ending}", mesh.positions, mesh.triangles)
        again = percale.read_mesh(tmp_path / f"m.{ending}")
        assert len(again.triangles) == len(mesh.triangles)
    mesh.write(tmp_path / "t.obj")
    again = percale.read_mesh(tmp_path / "t.obj")
    assert np.array_equal(again.positions, mesh.positions) and np.array_equal(again.triangles, mesh.triangles)
    assert again.texture is not None and np.array_equal(again.texture, mesh.texture)
    with pytest.raises(percale.FileError):
        mesh.write(tmp_path / "nowhere" / "m.obj")
    with pytest.raises(percale.InputError):
        percale.Mesh(np.zeros((3, 3)), [[0, 1, 2]]).check()
    mesh.check()


def test_notes_tell_what_was_mended(tmp_path: Path) -> None:
    (tmp_path / "b.obj").write_text("v 0 0 0\nv 9 9 9\nv 1 0 0\nv 1 1 0\nf 1 3 4\nf 1 3 4\n")
    scene = percale.Scene(bodies=[dict(mesh=dict(file="b.obj"))], folder=tmp_path)
    assert [note.split(": ", 1)[1] for note in scene.notes] == ["1 duplicate triangle removed", "1 isolated vertex removed"]


def test_every_material_can_be_evaluated_and_has_the_modulus_it_should() -> None:
    more: dict[str, dict[str, Any]] = dict(
        sum=dict(terms=[dict(model="a3", stretch=300), dict(model="b1", stretch=200)]),
        mooney_rivlin=dict(coefficients=[60, 20]), yeoh=dict(coefficients=[80, 1, 1]),
        ogden=dict(coefficients=[80], exponents=[2]), fung=dict(exponents=[1]),
        orthotropic=dict(stretch_warp=500, stretch_weft=500, shear=200),
        curve=dict(curve=[[0.5, -300], [1, 0], [2, 600]]))
    for model in percale.MATERIAL_MODELS:
        material = percale.Material(model=model, **more.get(model, {}))  # type: ignore[arg-type]
        energies, stresses = material.evaluate([1, 1.01], 1)
        assert energies.shape == (2,) and stresses.shape == (2, 2)
        assert energies[0] == pytest.approx(0, abs=1e-12) and stresses[0] == pytest.approx([0, 0], abs=1e-9)
        assert energies[1] > 0 and stresses[1, 0] > 0
    across, stress = percale.Material(model="stvk", stretch=500, poisson=0.3).stretch_freely(1 + 1e-4)
    assert float(stress) == pytest.approx(500 * 1e-4, rel=1e-3) and float(across) == pytest.approx(1 - 0.3e-4, rel=1e-6)
    with pytest.raises(percale.InputError, match="material.poisson"):
        percale.Material(poisson=2)


def test_the_checker_finds_crossings() -> None:
    mesh = percale.make_mesh(grid=dict(size=[1, 1], cells=[3, 3]))
    turned = mesh.positions[:, [0, 2, 1]]
    positions = np.concatenate([mesh.positions, turned + [0.01, 0.02, 0.3]])
    triangles = np.concatenate([mesh.triangles, mesh.triangles + 16])
    found = percale.check(positions, triangles)
    assert found.crossings > 0 and found.triangle_pairs > 0 and len(found.listed) == min(10, found.crossings)
    away = np.concatenate([mesh.positions, mesh.positions + [0, 0, 0.125]])
    clean = percale.check(away, triangles)
    assert clean.crossings == 0 and clean.distance == pytest.approx(0.125) and len(clean.nearest[0]) in (1, 2)
    with pytest.raises(percale.InputError):
        percale.check(away, triangles + 1)
    s = percale.Simulation(SHEETS)
    s.run(0.2)  # the upper sheet has landed
    assert s.check().crossings == 0 and s.check().distance < 0.01


def test_continuous_collision_detection_tells_when() -> None:
    start = np.array([[0.2, 0.2, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    end = start.copy()
    end[0, 2] = -1
    hit, time = percale.ccd_point_triangle(start, end)
    assert hit and 0.4 < time < 0.5
    end[0, 2] = 0.5
    assert percale.ccd_point_triangle(start, end) == (False, 1.0)
    edges = np.array([[0, 0, 1], [1, 1, 1], [0, 1, 0], [1, 0, 0]], float)
    down = edges - [[0, 0, 2], [0, 0, 2], [0, 0, 0], [0, 0, 0]]
    assert percale.ccd_edge_edge(edges, down, 0.1)[0]
    with pytest.raises(percale.InputError):
        percale.ccd_edge_edge(edges[:2], down)


def test_recordings_are_read_again_by_the_program_and_by_a_stranger(tmp_path: Path, program: Program) -> None:
    s = percale.Simulation({**SHEETS, "obstacles": [dict(polylines=[[[0, 0, -1], [1, 0, -1]]])]})
    recording = percale.Recording(s)
    with pytest.raises(percale.InputError, match="no frames"):
        recording.write(tmp_path / "sheets.pc2")
    for _ in s.frames(0.04, frames_per_second=50):
        recording.add()
    with pytest.raises(percale.InputError, match="expected a later one"):
        recording.add()
    assert recording.times == pytest.approx([0, 0.02, 0.04])
    for ending in ("pc2", "mdd", "glb", "usda"):
        recording.write(tmp_path / f"sheets.{ending}")
    with pytest.raises(percale.InputError, match="expected a name ending in"):
        recording.write(tmp_path / "sheets.mov")
    with pytest.raises(percale.FileError):
        recording.write(tmp_path / "nowhere" / "sheets.pc2")
    data = (tmp_path / "sheets.pc2").read_bytes()
    samples = np.frombuffer(data[32:], "<f4").reshape(3, s.vertex_count, 3)
    assert data[:11] == b"POINTCACHE2" and np.array_equal(samples[-1], recording.frames[-1])
    assert (tmp_path / "sheets.glb").read_bytes()[:4] == b"glTF"
    percale.write_mesh(tmp_path / "sheets.obj", s.positions, s.triangles)
    done = program("convert", str(tmp_path / "sheets.mdd"), str(tmp_path / "end.ply"), "--mesh", str(tmp_path / "sheets.obj"),
                   "--frame", "last")
    assert done.returncode == 0, done.stderr
    assert percale.read_mesh(tmp_path / "end.ply", mend=False).positions == pytest.approx(recording.frames[-1], abs=1e-6)


def test_keys_are_those_of_the_schema(program: Program) -> None:
    import json

    schema = json.loads(program("schema", "--json-schema").stdout)
    for name, table in schema["$defs"].items():
        if name == "expression":
            continue
        made = getattr(percale.keys, "".join(part.capitalize() for part in name.split("_")) + "Keys")
        reserved = {key for key in table["properties"] if keyword.iskeyword(key)}
        assert set(made.__annotations__) | set(made.__mro__[0].__optional_keys__) == (
            set(table["properties"]) | {key + "_" for key in reserved}), name


MISTAKES = """
import percale
percale.Scene(bodies=[dict(mesh=dict(grid=dict(cells=[2, 2])))])                              # good
percale.Scene(bodies=[{"mesh": {"grid": {"cells": [2, 2]}}, "pins": [{"select": "all", "from": 0.5}]}])   # good
percale.Simulation("a.yaml", backend="gpu")
percale.Simulation(tme=dict(step=1))
percale.Simulation(time={"step": [1]})
percale.Simulation(bodies=[]).step().iteration
"""


def test_mypy_is_content_with_the_package_and_finds_wrong_keys(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    whole = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-p", "percale"], cwd=tmp_path, capture_output=True,
                           text=True, check=False)
    assert whole.returncode == 0, whole.stdout
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "mistakes.py"], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    assert lines == {5, 6, 7, 8}, done.stdout


def test_everything_public_is_documented() -> None:
    for name in percale.__all__:
        thing = getattr(percale, name)
        if isinstance(thing, type):
            assert thing.__doc__, name
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    function = value.fget if isinstance(value, property) else value
                    assert function.__doc__, f"{name}.{member}"
        elif callable(thing):
            assert thing.__doc__, name
