"""Claims about simulations that are changed while they run. SPDX-License-Identifier: Apache-2.0"""
from __future__ import annotations

import gc
import math
from typing import Any

import numpy as np
import pytest

import percale
from conftest import GRID, HANGING, SHEETS


def test_gravity_wind_air_and_step_can_be_changed() -> None:
    s = percale.Simulation(HANGING)
    assert s.gravity == pytest.approx([0, -9.81, 0]) and s.step_length == 2e-3
    s.gravity = [0, 0, 0]
    s.run(0.01)
    assert abs(s.velocities).max() < 1e-9
    s.set_air(density=1.2, wind=[0, 5, 0])
    assert s.wind == pytest.approx([0, 5, 0])
    s.run(0.01)
    pushed = s.velocities[:, 1].max()
    assert pushed > 0
    s.wind = [0, -50, 0]
    s.step_length = 1e-3
    before = s.time
    report = s.step()
    assert report.time - before == pytest.approx(1e-3) and s.velocities[:, 1].max() < pushed
    assert len(list(s.frames(0.004, frames_per_second=1000))) == 5
    with pytest.raises(percale.InputError, match="step"):
        s.step_length = -1
    with pytest.raises(percale.InputError, match="expected 3 numbers"):
        s.gravity = [1, 2]


def test_friction_of_bodies_and_colliders_can_be_changed() -> None:
    s = percale.Simulation({**SHEETS, "colliders": [dict(shape="plane", axis=[0, 0, 1], center=[0, 0, -1])]})
    s.set_friction(0.25)
    s.bodies["upper"].friction = 0.5
    assert s.bodies["lower"].friction == 0.25 and s.bodies["upper"].friction == 0.5
    s.colliders[0].set_friction(0.1)
    with pytest.raises(percale.InputError):
        s.bodies[0].friction = -1


def test_a_collider_goes_where_it_is_told() -> None:
    s = percale.Simulation({**SHEETS, "colliders": [dict(shape="sphere", radius=0.1, center=[0, 0, -1])]})
    (ball,) = s.colliders
    ball.move(translate=[0, 0, 0.01], axis=[0, 0, 1], degrees=90)
    s.step()
    turn, shift = ball.pose
    assert turn @ [1, 0, 0] == pytest.approx([0, 1, 0])
    assert turn @ [0, 0, -1] + shift == pytest.approx([0, 0, -0.99])
    ball.release()
    s.step()


def test_obstacles_move_and_bodies_refuse_to() -> None:
    s = percale.Simulation({**SHEETS, "obstacles": [dict(mesh=GRID, place=dict(translate=[0, 0, -1]))]})
    s.bodies[2].move(translate=[0, 0, 0.01])
    s.step()
    assert s.bodies[2].positions[:, 2] == pytest.approx(-0.99)
    with pytest.raises(percale.InputError, match="not an obstacle"):
        s.bodies[0].move(translate=[1, 0, 0])


def test_a_grab_pulls_and_lets_go() -> None:
    s = percale.Simulation(HANGING, gravity=[0, 0, 0])
    target = s.positions[40] + [0, 0.2, 0]
    with s.grab(40, target, stiffness=50, damping=1) as grab:
        s.run(0.2)
        point, force = grab.read()
        assert np.linalg.norm(point - target) < 0.19 and force > 0
        assert point == pytest.approx(s.positions[40])
        grab.move(s.positions[40])
        assert grab.read()[1] < force
    with pytest.raises(percale.InputError, match="ended"):
        grab.read()
    with pytest.raises(percale.InputError):
        s.grab(9999, target)
    with pytest.raises(percale.InputError, match="expected one to three"):
        s.grab([1, 2], target, weights=[1])


def test_contacts_carry_the_weight_of_what_lies() -> None:
    s = percale.Simulation({**SHEETS, "bodies": [SHEETS["bodies"][0], dict(SHEETS["bodies"][1], material=dict(mass_damping=20))]})
    assert len(s.contacts) == 0 or s.contacts.dtype == percale.CONTACT
    s.run(1.0)
    contacts = s.contacts
    assert len(contacts) > 0 and contacts["point"].shape == (len(contacts), 3)
    assert set(np.unique(contacts["body"])) <= {0, 1}
    upward = np.where(contacts["body"][:, 0] == 1, 1, -1) * contacts["force"][:, 2]
    weight = s.bodies["upper"].masses.sum() * 9.81
    assert upward.sum() == pytest.approx(weight, rel=0.2)
    assert s.safe_bounds.shape == (s.vertex_count,) and s.safe_bounds.min() > 0


def test_remade_with_another_material_from_the_same_state_while_old_arrays_stay() -> None:
    soft = percale.Simulation(HANGING)
    soft.run(0.05)
    positions, values = soft.positions, soft.positions.copy()
    stiff = soft.remake(set={"bodies[0].material.stretch": 5000})
    assert np.array_equal(stiff.positions, values) and stiff.time == soft.time
    assert not np.shares_memory(stiff.positions, positions)
    stiff.run(0.05), soft.run(0.05)
    assert stiff.stretches.max() < soft.stretches.max()
    with pytest.raises(percale.InputError):
        soft.remake(set={"bodies[0].mesh.grid.cells": [4, 4]})
    soft.step()
    del soft
    gc.collect()
    assert np.isfinite(positions).all()


def test_misspelt_names_are_refused_with_the_nearest_one() -> None:
    s: Any = percale.Simulation({**SHEETS, "colliders": [dict(shape="plane", center=[0, 0, -1], axis=[0, 0, 1])]})
    for target, name, said in (
            (s, "wnd", "Simulation has no attribute 'wnd'; did you mean 'wind'?"),
            (s, "step_lenght", "did you mean 'step_length'?"),
            (s, "colour", "may be assigned: gravity, positions, step_length, velocities, wind; "),
            (s, "masses", "Simulation: 'masses' cannot be assigned"),
            (s.bodies[0], "stretch", "Body has no attribute 'stretch'; did you mean 'stretches'? (may be assigned: friction; "
                                     "numbers of the scene are changed by Simulation.remake)"),
            (s.bodies[0], "frction", "did you mean 'friction'?"),
            (s.bodies[0], "name", "Body: 'name' cannot be assigned"),
            (s.colliders[0], "friction", "Collider has no attribute 'friction'"),
            (s.scene, "gravity", "Scene has no attribute 'gravity'"),
            (s.scene.changed(), "gravity", "Scene has no attribute 'gravity'"),
            (percale.Mesh([[0, 0, 0]]), "positons", "Mesh has no attribute 'positons'; did you mean 'positions'?"),
            (s.remake(), "wnd", "did you mean 'wind'?")):
        with pytest.raises(AttributeError) as caught:
            setattr(target, name, 1)
        assert said in str(caught.value)
    s.wind = [1, 0, 0]
    s.bodies[0].friction = 0.5
    assert s.bodies[0].friction == 0.5


def test_classes_of_others_may_have_more_attributes() -> None:
    class Mine(percale.Simulation):
        pass

    s: Any = Mine(HANGING)
    s.colour = "red"
    assert s.colour == "red"


@pytest.mark.parametrize("seconds", [-1, -1e-9, math.nan, math.inf])
def test_times_that_make_no_sense_are_refused(seconds: float) -> None:
    s = percale.Simulation(HANGING)
    with pytest.raises(ValueError, match="seconds: .* is not allowed; expected a number >= 0"):
        s.run(seconds)
    with pytest.raises(ValueError, match="seconds: "):
        list(s.frames(seconds))
    with pytest.raises(ValueError, match="frames_per_second: "):
        list(s.frames(0.1, frames_per_second=0))
    assert s.time == 0
