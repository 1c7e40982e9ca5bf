"""A cloth falls on a ball: a complete program in ten lines.

    python 01_falling_cloth.py

SPDX-License-Identifier: Apache-2.0
"""
import percale

simulation = percale.Simulation(
    time=dict(step=5e-3),
    contact=dict(enabled=True, thickness=5e-3, friction=0.3),
    bodies=[dict(name="cloth", mesh=dict(grid=dict(size=[1, 1], cells=[30, 30])),
                 place=dict(translate=[0, 0.3, 0], rotate=dict(axis=[1, 0, 0], degrees=-90)))],
    colliders=[dict(shape="sphere", radius=0.25)])
for time in simulation.frames(1.0, frames_per_second=10):
    print(f"{time:4.1f} s: lowest vertex {simulation.positions[:, 1].min():6.3f} m, fastest "
          f"{abs(simulation.velocities).max():5.2f} m/s, most pressure {simulation.pressure.max():6.1f} Pa")
simulation.bodies["cloth"].write("cloth.ply")
assert simulation.check().crossings == 0
