"""Claims about simulations in Python. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import concurrent.futures
import gc
import math
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import percale
from conftest import GRID, HANGING, ROOT, SHEETS

Program = Callable[..., "subprocess.CompletedProcess[str]"]


def simulate(**keys: Any) -> percale.Simulation:
    return percale.Simulation({**HANGING, **keys})


# ---- arrays ----


def test_positions_are_the_library_s_memory_and_follow_each_step() -> None:
    s = simulate()
    first = s.positions
    before = first.copy()
    s.step()
    assert np.array_equal(first, before)  # not brought up to date before somebody asks
    assert s.positions is first and not np.array_equal(first, before)
    assert not first.flags.owndata and not first.flags.writeable
    assert first.shape == (81, 3) and first.dtype == np.float64
    assert np.shares_memory(s.bodies["cloth"].positions, s.positions)
    assert np.shares_memory(s.stretches, s.stretches)


def test_arrays_keep_the_simulation_alive() -> None:
    s = simulate()
    s.run(0.01)
    positions, values = s.positions, s.positions.copy()
    engine = weakref.ref(s._engine)
    del s
    gc.collect()
    assert engine() is not None and np.array_equal(positions, values)
    del positions
    gc.collect()
    assert engine() is None


def test_writes_in_place_become_the_state() -> None:
    s = simulate(gravity=[0, 0, 0])
    start = s.positions.copy()
    with s.edit():
        s.positions[:, 1] += 0.25
        s.bodies[0].velocities[...] = [0, 0, 1]
        assert np.shares_memory(s.positions, s._positions)
    assert np.array_equal(s.positions, start + [0, 0.25, 0])
    s.velocities = s.velocities * 2
    assert np.all(s.velocities[:, 2] == 2)
    with s.edit():
        s.positions += 0.5  # also where Python assigns what was changed in place
    assert np.array_equal(s.positions, start + [0.5, 0.75, 0.5])


def test_read_only_outside_of_edit_and_left_alone_by_an_exception_inside() -> None:
    s = simulate()
    start = s.positions.copy()
    with pytest.raises(ValueError, match="read-only"):
        s.velocities[0] = 1
    with pytest.raises(ZeroDivisionError):
        with s.edit():
            s.positions[...] = 7
            1 / 0
    assert np.array_equal(s.positions, start)
    with pytest.raises(ValueError, match="read-only"):
        s.positions[0] = 0


def test_an_intersecting_state_is_refused_and_the_old_one_kept() -> None:
    s = percale.Simulation(SHEETS)
    before = s.positions.copy()
    with pytest.raises(percale.InputError, match="cross|intersect|close"):
        with s.edit():
            upper = s.bodies["upper"].positions
            upper[:, 2] += 0.1 * upper[:, 0] - 0.05  # tilted: half of it below the lower sheet
    assert np.array_equal(s.positions, before)
    s.step()
    with pytest.raises(percale.InputError, match="not finite"):
        s.positions = np.full_like(before, math.nan)
    with pytest.raises(percale.InputError, match=r"shape \(3, 3\); expected \(162, 3\)"):
        s.positions = np.zeros((3, 3))


def test_quantities_have_the_shapes_and_values_they_should() -> None:
    s = percale.Simulation(SHEETS)
    s.run(0.02)
    n = s.vertex_count
    for name, shape in dict(masses=(n,), areas=(n,), stretches=(n, 2), stresses=(n, 2), curvatures=(n, 2),
                            energy_densities=(n,), residuals=(n,), pressure=(n,), gap=(n,), velocities=(n, 3)).items():
        assert getattr(s, name).shape == shape, name
        assert getattr(s.bodies["upper"], name).shape == (n // 2,) + shape[1:], name
    assert s.areas.sum() == pytest.approx(2)
    assert s.masses.sum() == pytest.approx(2 * 0.2, rel=1e-12)
    assert s.triangles.shape == (256, 3) and s.triangles.max() == n - 1
    energy, gradient = s.elastic()
    assert energy == pytest.approx(float((s.areas * s.energy_densities).sum()), rel=1e-9)
    assert gradient.shape == (n, 3)
    # The gradient is the energy's: a central difference along a direction.
    d = np.random.default_rng(1).normal(size=(n, 3)) * 1e-3
    x = s.positions + d
    slope = (s.elastic(x + 1e-4 * d)[0] - s.elastic(x - 1e-4 * d)[0]) / 2e-4
    assert slope == pytest.approx(float((s.elastic(x)[1] * d).sum()), rel=1e-5)
    assert s.elastic_product(x, d).shape == (n, 3)


# ---- the same as the program ----


@pytest.mark.parametrize("precision", ["single", "double"])
def test_same_bits_as_the_program(tmp_path: Path, program: Program, precision: str) -> None:
    scene = ROOT / "scenes" / "flag.yaml"
    changes = {"time.duration": 0.06, "precision": precision, "output.precision": "double",
               "bodies[0].mesh.grid.cells": [12, 8]}
    options = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    done = program("run", str(scene), "-o", str(tmp_path), "--quiet", *options)
    assert done.returncode == 0, done.stderr
    s = percale.Simulation(scene, set=changes)
    assert ("float" if precision == "single" else "double") in s.backend
    frames = [s.positions.copy() for _ in s.frames()]
    files = sorted(tmp_path.glob("frame_*.ply"))
    assert len(files) == len(frames) == 4
    for file, frame in zip(files, frames):
        assert np.array_equal(percale.read_mesh(file, mend=False).positions, frame)


def test_code_and_file_give_the_same_simulation(tmp_path: Path) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text("percale: 1\ntime: {step: 2e-3}\nbodies:\n  - mesh: {grid: {size: [1, 1], cells: [8, 8]}}\n"
                    "    pins: [{select: {corners: [0]}, from: 0, until: 1}]\n")
    a = percale.Simulation(file)
    b = percale.Simulation(time=dict(step=2e-3), bodies=[dict(mesh=GRID, pins=[dict(select=dict(corners=np.array([0])),
                                                                                    from_=np.float32(0), until=1)])])
    assert a.fingerprint == b.fingerprint
    a.run(0.02), b.run(0.02)
    assert np.array_equal(a.positions, b.positions)


def test_a_mesh_of_arrays_is_as_good_as_one_of_a_file(tmp_path: Path) -> None:
    mesh = percale.make_mesh(sphere=dict(radius=0.3, subdivisions=2))
    mesh.write(tmp_path / "ball.obj")
    a = percale.Simulation(bodies=[dict(mesh=dict(file="ball.obj"))], folder=tmp_path)
    b = percale.Simulation(bodies=[dict(mesh=mesh)])
    c = percale.Simulation(bodies=[dict(mesh=dict(positions=mesh.positions.tolist(), triangles=mesh.triangles.tolist()))])
    assert a.fingerprint == b.fingerprint == c.fingerprint
    assert not np.shares_memory(b.positions, mesh.positions)


def test_groups_rest_shapes_obstacles_and_colliders_take_arrays() -> None:
    flat = percale.make_mesh(grid=dict(size=[1, 1], cells=[4, 4]))
    mesh = percale.Mesh(flat.positions * [1.1, 1, 1], flat.triangles, groups={"top": np.arange(20, 25)},
                        properties={"height": flat.positions[:, 1]})
    s = percale.Simulation(
        contact=dict(enabled=True),
        bodies=[dict(mesh=mesh, rest=flat, pins=[dict(select=dict(group="top")),
                                                 dict(select=dict(property=dict(name="height", below=-0.4)))])],
        obstacles=[dict(mesh=flat, place=dict(translate=[0, 0, -1]))],
        colliders=[dict(shape="mesh", mesh=percale.make_mesh(sphere=dict(subdivisions=2)), center=[0, 0, -3])])
    assert s.stretches[:25, 0].max() == pytest.approx(1.1, rel=1e-3)
    start = s.positions.copy()
    s.run(0.01)
    still = np.all(s.positions[:25] == start[:25], axis=1)
    assert still[20:].all() and still[:5].all() and not still[5:20].any()
    assert s.bodies[1].is_obstacle


# ---- functions ----


def test_particles_take_points_of_arrays_generators_and_files(tmp_path: Path) -> None:
    points = percale.make_mesh(lattice=dict(count=[3, 2, 2], spacing=0.02))
    assert points.positions.shape == (12, 3) and points.triangles.shape == (0, 3)
    (tmp_path / "p.obj").write_text("".join("v %r %r %r\n" % tuple(x) for x in points.positions.tolist()))
    assert np.array_equal(percale.read_mesh(tmp_path / "p.obj", points=True).positions, points.positions)
    with pytest.raises(percale.InputError, match="found 12 vertices and 0 faces"):
        percale.read_mesh(tmp_path / "p.obj")
    meshes: list[Any] = [percale.Mesh(points.positions), dict(positions=points.positions.tolist()), dict(file="p.obj"),
                         dict(lattice=dict(count=[3, 2, 2], spacing=0.02))]
    ends = []
    for mesh in meshes:
        s = percale.Simulation(folder=tmp_path, time=dict(step=2e-3), contact=dict(enabled=True), backend="cpu",
                               bodies=[dict(kind="particles", particle=dict(radius=5e-3), mesh=mesh)],
                               colliders=[dict(shape="plane", center=[0, -0.05, 0])])
        assert s.bodies[0].particle_radius == 5e-3 and "12 particles" in repr(s.bodies[0])
        assert np.allclose(s.masses, 2500 * 4 / 3 * math.pi * 5e-3**3)
        assert s.triangles.shape == (0, 3)
        s.run(0.1)
        ends.append(s.positions.copy())
    assert ends[0][:, 1].min() > -0.045 and ends[0][:, 1].max() < 0
    assert all(np.array_equal(end, ends[0]) for end in ends)


def test_triangles_of_particles_count_for_nothing() -> None:
    s = percale.Simulation(bodies=[dict(kind="particles", mesh=dict(sphere=dict(subdivisions=1)), velocity=[1, 0, 0]),
                                   dict(mesh=GRID)], gravity=[0, 0, 0])
    assert len(s.bodies[0].mesh.triangles) == 80 and len(s.bodies[0].triangles) == 0
    assert s.triangles.min() == 42 and s.bodies[1].particle_radius == 0
    s.run(0.1)
    assert np.allclose(s.bodies[0].positions - s.bodies[0].mesh.positions, [0.1, 0, 0], atol=1e-12)
    with pytest.raises(percale.InputError, match=r"bodies\[0\].material: particles are rigid"):
        percale.Scene(bodies=[dict(kind="particles", mesh=dict(lattice={}), material=dict(stretch=1))])
    with pytest.raises(percale.InputError, match="of 100000 points fit"):
        percale.make_mesh(packing=dict(count=100000, spacing=0.01))


def test_a_function_moves_pins_exactly() -> None:
    seen: list[float] = []

    def lift(time: float, positions: Any) -> None:
        seen.append(time)
        positions[:, 1] += time**2

    s = simulate(bodies=[dict(mesh=GRID, pins=[dict(select=dict(corners=[0, 1]), follow=lift)])])
    start = s.positions.copy()
    report = s.run(0.02)
    assert report is not None and seen and max(seen) == pytest.approx(0.02)
    assert s.positions[0] == pytest.approx(start[0] + [0, 0.02**2, 0], abs=1e-15)


def test_a_function_may_return_the_positions_and_is_called_for_each_instance() -> None:
    sizes: list[int] = []

    def turn(time: float, positions: Any) -> Any:
        sizes.append(len(positions))
        return positions + [0, 0, time]

    s = simulate(bodies=[dict(mesh=GRID, instances=dict(count=2, offset=[3, 0, 0]),
                              pins=[dict(select=dict(boundary=True), follow=turn)])])
    s.run(0.01)
    assert set(sizes) == {32}
    assert s.bodies[1].positions[0] == pytest.approx([2.5, -0.5, 0.01])


def test_a_function_moves_an_obstacle() -> None:
    def rise(time: float, positions: Any) -> None:
        positions[:, 2] += 0.5 * time

    s = percale.Simulation({**SHEETS, "obstacles": [dict(mesh=GRID, place=dict(translate=[0, 0, -0.2]), animation=rise)]})
    s.run(0.02)
    assert s.bodies[2].is_obstacle
    assert s.bodies[2].positions[:, 2] == pytest.approx(-0.2 + 0.01)


def test_an_exception_in_a_function_is_raised_by_the_step_and_leaves_the_state() -> None:
    def break_later(time: float, positions: Any) -> None:
        if time > 0.005:
            raise KeyError("broken")

    s = simulate(bodies=[dict(mesh=GRID, pins=[dict(select=dict(corners=[0]), follow=break_later)])])
    with pytest.raises(KeyError, match="broken"):
        s.run(0.1)
    assert s.time == pytest.approx(0.004) and np.isfinite(s.positions).all()


def test_a_function_cannot_use_its_own_simulation() -> None:
    box: list[percale.Simulation] = []
    s = simulate(bodies=[dict(mesh=GRID, pins=[dict(select=dict(corners=[0]), follow=lambda t, x: box[0].time if box else None)])])
    box.append(s)
    with pytest.raises(RuntimeError, match="its own step"):
        s.step()


def test_the_trace_sees_every_iteration() -> None:
    s = simulate()
    lines: list[tuple[int, float]] = []
    s.set_trace(lambda iteration, inner, energy, residual, seconds: lines.append((iteration, residual)))
    report = s.step()
    assert len(lines) >= report.iterations and lines[-1][1] <= s.tolerance * 10
    count = len(lines)
    s.set_trace(None)
    s.step()
    assert len(lines) == count
    s.set_trace(lambda *values: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        s.step()


def test_a_run_stops_when_its_callback_says_so() -> None:
    s = simulate()
    times: list[float] = []

    def stop(sim: percale.Simulation, report: percale.Report) -> bool:
        times.append(report.time)
        return sim.time < 0.01

    s.run(0.05, callback=stop)
    assert times == pytest.approx([0.002 * k for k in range(1, 6)])


def test_ctrl_c_ends_a_run_between_two_steps() -> None:
    s = simulate(time=dict(step=1e-4))
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        s.run(1000)
    s.step()


def test_ctrl_c_ends_a_step_that_takes_long_and_leaves_the_state_before() -> None:
    mesh: Any = dict(grid=dict(size=[1, 1], cells=[100, 100]))
    long: Any = dict(preconditioner="jacobi", tolerance=1e-300, inner_tolerance=1e-300, max_inner=1000000, max_iterations=100000)
    s = percale.Simulation(precision="double", backend="cpu", time=dict(step=1.0), solver=long,
                           bodies=[dict(mesh=mesh, pins=[dict(select=dict(corners=[0, 1]))])])
    before = s.save()
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        s.run(1.0)
    assert time.monotonic() - start < 5
    assert s.time == 0 and s.save() == before


# ---- states ----


def test_a_saved_state_goes_on_to_the_same_bits() -> None:
    a = percale.Simulation(SHEETS)
    a.run(0.02)
    saved = a.save()
    a.run(0.02)
    b = percale.Simulation(SHEETS)
    b.restore(saved)
    assert b.time == pytest.approx(0.02)
    b.run(0.02)
    assert np.array_equal(a.positions, b.positions)
    with pytest.raises(percale.InputError):
        b.restore(saved[:-8])
    with pytest.raises(percale.InputError):
        simulate().restore(saved)


def test_pickles_hold_scene_arrays_and_state() -> None:
    a = percale.Simulation({**SHEETS, "bodies": [dict(mesh=percale.make_mesh(disc=dict(radius=0.5, rings=4)))]})
    a.run(0.01)
    b = pickle.loads(pickle.dumps(a))
    a.run(0.01), b.run(0.01)
    assert np.array_equal(a.positions, b.positions)
    error = pickle.loads(pickle.dumps(percale.InputError("x")))
    assert str(error) == "x" and error.code is percale.ErrorCode.INPUT


def test_threads_do_not_change_the_bits_and_simulations_run_side_by_side() -> None:
    def end(threads: int) -> Any:
        s = percale.Simulation(SHEETS, threads=threads)
        s.run(0.03)
        return s.positions.copy()

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        a, b = pool.map(end, [1, 2])
    assert np.array_equal(a, b)


def test_one_simulation_is_used_by_one_thread_at_a_time() -> None:
    s = simulate()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda _: s.step(), range(20)))
    assert sorted(report.time for report in reports) == pytest.approx([0.002 * k for k in range(1, 21)])


# ---- what it says ----


def test_reports_have_every_field_of_the_c_struct() -> None:
    report = simulate().step()
    from percale._library import ffi

    assert [name for name, _ in ffi.typeof("prc_step_report").fields] == list(vars(report))
    assert report.converged is True and report.stop == "converged" and isinstance(report.iterations, int)
    assert len(report.momentum) == 3 and report.time == pytest.approx(0.002)


def test_layouts_are_those_of_the_compiler(tmp_path: Path) -> None:
    """cffi works out sizes and offsets itself; the compiler has the last word."""
    from percale._library import ffi

    lines = []
    for name in ("prc_sim_def", "prc_step_report", "prc_material_def", "prc_scene_errors", "prc_mesh", "prc_check_result"):
        kind = ffi.typeof(name)
        lines.append(f"_Static_assert(sizeof({name}) == {ffi.sizeof(kind)}, \"{name}\");")
        lines += [f"_Static_assert(offsetof({name}, {field}) == {info.offset}, \"{name}.{field}\");"
                  for field, info in kind.fields]
    source = tmp_path / "layout.c"
    source.write_text(f'#include "{ROOT}/python/generate/binding.h"\n' + "\n".join(lines) + "\n")
    done = subprocess.run(["cc", "-std=c17", "-fsyntax-only", f"-I{ROOT}/include", f"-I{ROOT}/src", str(source)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unconverged_step_stops_a_run_unless_told_otherwise() -> None:
    hard: dict[str, Any] = dict(max_iterations=1, max_substeps=1, tolerance=1e-12)
    with pytest.raises(percale.StateError, match=r"step 1, to 0\.002 s: did not converge \(max_iterations; residual"):
        simulate(solver=hard).run(0.01)
    report = simulate(solver=dict(hard, unconverged="go_on")).run(0.01)
    assert report is not None and not report.converged and report.time == pytest.approx(0.01)


def test_springs_and_volumes_are_told() -> None:
    s = percale.Simulation(gravity=[0, 0, 0], springs=[dict(tie=dict(vertex=0), to=dict(point=[0, 2, 0]), stiffness=10, length=0)],
                           bodies=[dict(mesh=dict(sphere=dict(radius=1, subdivisions=3)), pressure=dict(over=10))])
    distance, tension = s.spring(0)
    assert distance == pytest.approx(float(np.linalg.norm(s.positions[0] - [0, 2, 0]))) and tension == pytest.approx(10 * distance)
    volume, pressure = s.enclosed(0)
    assert volume == pytest.approx(4 / 3 * math.pi, rel=0.02) and pressure == pytest.approx(10)
    with pytest.raises(IndexError):
        s.spring(1)


def test_backends_are_chosen_or_refused_as_by_the_program(tmp_path: Path, program: Program) -> None:
    assert simulate(backend="cpu").backend.startswith("cpu double")
    assert simulate(backend="cpu", precision="single").backend.startswith("cpu float")
    try:
        assert simulate(backend="cuda").backend.startswith("cuda")
    except percale.DeviceError as error:
        file = tmp_path / "s.yaml"
        file.write_text("percale: 1\nbodies: [{mesh: {grid: {cells: [2, 2]}}}]\n")
        done = program("run", str(file), "-o", str(tmp_path / "out"), "--backend", "cuda")
        assert str(error) in done.stderr and error.code is percale.ErrorCode.DEVICE


def test_the_program_comes_with_the_package(program: Program) -> None:
    done = program("--version")
    assert done.stdout.startswith(f"percale {percale.__version__}\n")
    assert (Path(sys.executable).parent / "percale").exists()
