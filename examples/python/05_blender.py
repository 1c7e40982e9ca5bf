"""Two ways to bring an animation into Blender.

    python 05_blender.py                                  writes flag.glb; flag.obj, flag.pc2, flag_blender.py
    blender --python flag_blender.py                      opens the second

flag.glb is a single file that File > Import > glTF opens and that browsers show. For long animations a mesh and a point
cache are smaller: Blender's Mesh Cache modifier plays PC2 files, one sample of the file per frame of the time line.

SPDX-License-Identifier: Apache-2.0
"""
from pathlib import Path

import numpy as np

import percale

FRAMES_PER_SECOND, SECONDS = 24, 2

flag = percale.Simulation(
    time=dict(step=1 / 240),
    air=dict(density=1.2, wind=[6, 0, 0.5], gusts=dict(strength=1.5, period=0.5, seed=3)),
    bodies=[dict(name="flag", mesh=dict(grid=dict(size=[1.5, 1], cells=[36, 24], pattern="alternating")),
                 material=dict(stretch=800, density=0.12, bending=1e-5),
                 pins=[dict(select=dict(box=dict(max=[-0.749, 1, 1])))])])
body = flag.bodies["flag"]
body.write("flag.obj")
recording = percale.Recording(flag)
for _ in flag.frames(SECONDS, frames_per_second=FRAMES_PER_SECOND):
    recording.add()
recording.write("flag.glb")
recording.write("flag.pc2")

Path("flag_blender.py").write_text(f"""\
import bpy
from pathlib import Path

folder = Path(__file__).resolve().parent
bpy.ops.wm.obj_import(filepath=str(folder / "flag.obj"), forward_axis="Y", up_axis="Z")
flag = bpy.context.selected_objects[0]
modifier = flag.modifiers.new("percale", "MESH_CACHE")
modifier.cache_format = "PC2"
modifier.filepath = str(folder / "flag.pc2")
modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
flag.rotation_euler[0] = 1.5707963  # y points up in percale's scene, z in Blender
bpy.context.scene.render.fps = {FRAMES_PER_SECOND}
bpy.context.scene.frame_end = {FRAMES_PER_SECOND * SECONDS}
""")

# Reads the file as another program would: a header of 32 bytes, then floats.
data = Path("flag.pc2").read_bytes()
header = np.frombuffer(data[:32], "S12,<i4,<i4,<f4,<f4,<i4")[0]
frames = np.frombuffer(data[32:], "<f4").reshape(header[5], header[2], 3)
print(f"flag.pc2: {header[5]} frames of {header[2]} vertices; the flag moves by up to {np.ptp(frames, axis=0).max():.2f} m")
assert header[0] == b"POINTCACHE2" and np.allclose(frames[-1], body.positions, atol=1e-6)
