# Reads animation files as other programs do, and compares them with the PLY frames of a run.
#   read_clips.py mdd FOLDER FILE           an MDD file, byte by byte; needs Python alone
#   read_clips.py validate FILE ...         USD files pass all of usd-core's validators
#   read_clips.py usd FOLDER FILE           points of a USD file at each time
#   read_clips.py glb FOLDER FILE           a GLB file by the specification: structure, and each frame played back
#   read_clips.py glb_body FOLDER FILE      the same, of the first body only
#   read_clips.py particles FOLDER USD GLB  the last body, of particles, in both
#   read_clips.py trimesh FOLDER FILE       the first frame (trimesh_last: the last)
#   read_clips.py pygltflib FILE            opens there
#   read_clips.py schema FILE               its description is what Khronos' JSON schema says, as trimesh carries it
#   read_clips.py browser FOLDER FILE       three.js in Chromium plays it: every vertex is where the frames have it
#   read_clips.py write_trimesh PERCALE     files by trimesh and pygltflib, converted by percale, have the same places
#   read_clips.py write_pygltflib PERCALE
# SPDX-License-Identifier: Apache-2.0
import glob
import json
import struct
import subprocess
import sys


def read_ply(path):
    """Positions, triangles, edges, parts (kind, vertices, name) and time of a frame of a run, with nothing but Python."""
    with open(path, "rb") as file:
        data = file.read()
    header, _, body = data.partition(b"end_header\n")
    counts, properties, parts, time = {}, 0, [], None
    for line in header.decode().splitlines():
        words = line.split(" ")
        if line.startswith("comment percale, time"):
            time = float(words[3])
        if line.startswith("comment part"):
            parts.append((words[2], int(words[3]), " ".join(words[4:])))
        if words[0] == "element":
            element = words[1]
            counts[element] = int(words[2])
        if words[0] == "property" and element == "vertex":
            properties += {"float": 4, "uchar": 1}[words[1]]
    n = counts["vertex"]
    positions = [struct.unpack_from("<3f", body, k * properties) for k in range(n)]
    at = n * properties
    triangles = [struct.unpack_from("<3i", body, at + 13 * k + 1) for k in range(counts["face"])]
    at += 13 * counts["face"]
    edges = [struct.unpack_from("<2i", body, at + 8 * k) for k in range(counts.get("edge", 0))]
    return positions, triangles, edges, parts, time


def read_frames(folder):
    return [read_ply(path) for path in sorted(glob.glob(folder + "/frame_*.ply"))]


def check_mdd(folder, path):
    frames = read_frames(folder)
    with open(path, "rb") as file:
        data = file.read()
    count, points = struct.unpack_from(">2i", data)
    assert (count, points) == (len(frames), len(frames[0][0]))
    times = struct.unpack_from(">%df" % count, data, 8)
    for k, (positions, _, _, _, time) in enumerate(frames):
        assert abs(times[k] - time) < 1e-6
        found = struct.unpack_from(">%df" % (3 * points), data, 8 + 4 * count + 12 * points * k)
        assert list(found) == [x for p in positions for x in p]
    assert len(data) == 8 + 4 * count + 12 * points * count


# ---- USD ----


def validate(paths):
    from pxr import Usd

    for path in paths:
        stage = Usd.Stage.Open(path)
        assert stage and not stage.GetCompositionErrors()
        try:
            from pxr import UsdValidation

            registry = UsdValidation.ValidationRegistry()
            context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
            problems = [error.GetMessage() for error in context.Validate(stage)]
        except ImportError:  # usd-core before 24.11
            from pxr import UsdUtils

            checker = UsdUtils.ComplianceChecker(arkit=False)
            checker.CheckCompliance(path)
            problems = checker.GetErrors() + checker.GetWarnings() + checker.GetFailedChecks()
        assert not problems, problems


def check_usd(folder, path):
    import numpy as np
    from pxr import Usd, UsdGeom

    frames = read_frames(folder)
    stage = Usd.Stage.Open(path)
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    assert stage.GetTimeCodesPerSecond() == 100 == stage.GetFramesPerSecond()
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, len(frames) - 1)
    assert stage.GetDefaultPrim().GetName() == "percale"
    prims = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.PointBased)]
    parts = frames[0][3]
    assert [prim.GetTypeName() for prim in prims] == ["Mesh", "Mesh", "Mesh", "BasisCurves", "Points"]
    assert [prim.GetDisplayName() or prim.GetName() for prim in prims[:3]] == [part[2] for part in parts[:3]]
    first = 0
    for prim, (_, count, _) in zip(prims, parts):
        assert UsdGeom.PointBased(prim).ComputeExtent is not None
        if prim.GetTypeName() == "Mesh":
            mesh = UsdGeom.Mesh(prim)
            own = [t for t in frames[0][1] if first <= t[0] < first + count]
            indices = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3) + first
            assert np.array_equal(indices, own)
            assert set(mesh.GetFaceVertexCountsAttr().Get()) == {3} and mesh.GetSubdivisionSchemeAttr().Get() == "none"
            valid, why = UsdGeom.Mesh.ValidateTopology(
                mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get(), count)
            assert valid, why
        for step, frame in enumerate(frames):
            points = np.array(UsdGeom.PointBased(prim).GetPointsAttr().Get(step), "f4")
            expected = np.array(frame[0][first : first + count], "f4")
            if prim.GetTypeName() == "BasisCurves":
                expected = np.array([frame[0][v] for edge in frame[2] for v in edge], "f4")
            assert np.array_equal(points, expected), (prim.GetPath(), step)
            low, high = UsdGeom.Boundable(prim).GetExtentAttr().Get(step)
            assert np.all(points >= np.array(low)) and np.all(points <= np.array(high))
        first += count
    # Halfway between two frames USD goes halfway.
    mesh = UsdGeom.Mesh(prims[0])
    half = np.array(mesh.GetPointsAttr().Get(10.5))
    count = parts[0][1]
    mean = (np.array(frames[10][0][:count]) + np.array(frames[11][0][:count])) / 2
    assert np.abs(half - mean).max() < 1e-6


# ---- glTF, from the specification ----


class Glb:
    SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
    COUNTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, version, length, text, kind = struct.unpack_from("<4s2II4s", data)
        assert magic == b"glTF" and version == 2 and length == len(data) and kind == b"JSON" and text % 4 == 0
        self.json = json.loads(data[20 : 20 + text])
        binary, kind = struct.unpack_from("<I4s", data, 20 + text)
        assert kind == b"BIN\0" and 28 + text + binary == length and binary % 4 == 0
        self.binary = data[28 + text :]
        assert self.json["asset"]["version"] == "2.0" and len(self.json["buffers"]) == 1
        assert 0 <= binary - self.json["buffers"][0]["byteLength"] < 4
        assert all(value for value in self.json.values() if isinstance(value, list))  # no empty lists
        self.used = set()

    def array(self, index, target=None):
        import numpy as np

        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        self.used.add(index)
        assert view.get("target") == target and view["buffer"] == 0
        components = self.COUNTS[accessor["type"]]
        size = components * self.SIZES[accessor["componentType"]] * accessor["count"]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        assert start % 4 == 0 and accessor.get("byteOffset", 0) + size <= view["byteLength"]
        assert view.get("byteOffset", 0) + view["byteLength"] <= self.json["buffers"][0]["byteLength"]
        kind = {5125: "<u4", 5126: "<f4"}[accessor["componentType"]]
        values = np.frombuffer(self.binary, kind, size // 4, start).reshape(-1, components)
        assert np.all(np.isfinite(values))
        if "min" in accessor:
            assert np.array_equal(values.min(0), np.array(accessor["min"], kind))
            assert np.array_equal(values.max(0), np.array(accessor["max"], kind))
        return values

    def has_bounds(self, index):
        return "min" in self.json["accessors"][index]

    def weights(self, node, time):
        """As the specification says that animations are sampled, with LINEAR interpolation."""
        import numpy as np

        animation = self.json["animations"][0]
        for channel in animation["channels"]:
            if channel["target"] != {"node": node, "path": "weights"}:
                continue
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler.get("interpolation", "LINEAR") == "LINEAR" and self.has_bounds(sampler["input"])
            times = self.array(sampler["input"])[:, 0]
            assert times[0] == 0 and np.all(np.diff(times) > 0)
            values = self.array(sampler["output"])[:, 0].reshape(len(times), -1)
            after = min(max(int(np.searchsorted(times, time)), 1), len(times) - 1)
            share = np.clip((time - times[after - 1]) / (times[after] - times[after - 1]), 0, 1)
            return (1 - share) * values[after - 1] + share * values[after]
        return None


def unit_normals(positions, triangles):
    import numpy as np

    normals = np.zeros_like(positions)
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    for k in range(3):
        np.add.at(normals, triangles[:, k], np.cross(b - a, c - a))
    return normals / np.linalg.norm(normals, axis=1)[:, None]


def play(glb, node, time):
    """Positions and normals of a node's first primitive at a time."""
    import numpy as np

    mesh = glb.json["meshes"][glb.json["nodes"][node]["mesh"]]
    primitive = mesh["primitives"][0]
    weights = glb.weights(node, time)
    found = []
    for name in ["POSITION", "NORMAL"]:
        if name not in primitive["attributes"]:
            found.append(None)
            continue
        assert name != "POSITION" or glb.has_bounds(primitive["attributes"][name])
        value = glb.array(primitive["attributes"][name], 34962).astype("f8")
        targets = primitive.get("targets", [])
        assert (weights is None) == (not targets) and (weights is None or len(weights) == len(targets))
        for k, target in enumerate(targets):
            assert name != "POSITION" or glb.has_bounds(target[name])
            moved = glb.array(target[name], 34962)
            assert moved.shape == value.shape
            if weights[k]:
                value = value + weights[k] * moved
        found.append(value)
    return found


def check_glb(folder, path, bodies=None):
    import numpy as np

    frames = read_frames(folder)
    glb = Glb(path)
    parts = frames[0][3][:bodies]
    assert glb.json["scenes"][glb.json["scene"]]["nodes"] == list(range(len(parts)))
    names = [part[2] for part in parts]
    assert [node["name"] for node in glb.json["nodes"]][:3] == names[:3]
    first = 0
    for node, (_, count, _) in enumerate(parts):
        primitive = glb.json["meshes"][node]["primitives"][0]
        assert primitive["mode"] == [4, 4, 4, 1, 0][node] and "doubleSided" in glb.json["materials"][primitive["material"]]
        if primitive["mode"] == 4:
            triangles = glb.array(primitive["indices"], 34963).reshape(-1, 3)
            own = [t for t in frames[0][1] if first <= t[0] < first + count]
            assert np.array_equal(triangles + first, own)
        if primitive["mode"] == 1:
            assert np.array_equal(glb.array(primitive["indices"], 34963).reshape(-1, 2) + first, frames[0][2])
        for k, frame in enumerate(frames):
            expected = np.array(frame[0][first : first + count])
            positions, normals = play(glb, node, np.float32(frame[4] - frames[0][4]))
            assert np.abs(positions - expected).max() < 1e-6, (node, k)
            if normals is not None:
                assert np.abs(normals - unit_normals(expected, triangles)).max() < 1e-4
        assert node < 3 or "targets" not in primitive  # what rests
        first += count
    # Between frames the motion is along lines.
    half, _ = play(glb, 0, 0.105)
    count = parts[0][1]
    mean = (np.array(frames[10][0][:count]) + np.array(frames[11][0][:count])) / 2
    assert np.abs(half - mean).max() < 1e-6
    assert glb.used == set(range(len(glb.json["accessors"])))  # nothing is there for nothing


def check_particles(folder, usd, path):
    """The last part of the frames: particles of 8 mm, as points that move."""
    import numpy as np
    from pxr import Usd, UsdGeom

    frames = read_frames(folder)
    kind, count, name = frames[0][3][-1]
    assert kind == "particles"
    expected = [np.array(frame[0][-count:], "f4") for frame in frames]
    stage = Usd.Stage.Open(usd)
    points = UsdGeom.Points(stage.GetDefaultPrim().GetChild(name))
    assert np.allclose(points.GetWidthsAttr().Get(), [0.016]) and points.GetWidthsInterpolation() == "constant"
    glb = Glb(path)
    node = len(glb.json["nodes"]) - 1
    mesh = glb.json["meshes"][node]
    assert [p["mode"] for p in mesh["primitives"]] == [0] and abs(mesh["extras"]["radius"] - 0.008) < 1e-9
    for step, frame in enumerate(frames):
        assert np.array_equal(np.array(points.GetPointsAttr().Get(step), "f4"), expected[step]), step
        positions, _ = play(glb, node, np.float32(frame[4] - frames[0][4]))
        assert np.abs(positions - expected[step]).max() < 1e-6, step


def check_trimesh(folder, path, step):
    import numpy as np
    import trimesh

    positions, _, _, parts, _ = read_frames(folder)[step]
    scene = trimesh.load(path)
    first = 0
    for kind, count, name in parts[:3]:
        mesh = trimesh.load(path, process=False).geometry[name]
        assert np.array_equal(np.array(mesh.vertices, "f4"), np.array(positions[first : first + count], "f4"))
        first += count
    assert len(scene.geometry) == len(parts)


def check_pygltflib(path):
    import pygltflib

    gltf = pygltflib.GLTF2().load(path)
    assert len(gltf.meshes) == 5 and len(gltf.animations) == 1 and len(gltf.animations[0].channels) == 3
    assert len(gltf.meshes[0].primitives[0].targets) == 20 == len(gltf.meshes[0].extras["targetNames"])


def check_schema(path):
    from trimesh.exchange import gltf

    gltf.validate(Glb(path).json)


PAGE = """<html><body><pre id="log"></pre>
<script src="file://THREE/three.js"></script><script src="file://THREE/examples/js/loaders/GLTFLoader.js"></script>
<script>
const log = text => { document.getElementById("log").textContent += text + "\\n"; };
window.onerror = message => log("error " + message);
const bytes = Uint8Array.from(atob("DATA"), c => c.charCodeAt(0)).buffer;
new THREE.GLTFLoader().parse(bytes, "", file => {
    const mixer = new THREE.AnimationMixer(file.scene), action = mixer.clipAction(file.animations[0]);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    for (const time of TIMES) {
        mixer.setTime(time);
        file.scene.traverse(node => {
            if (!node.isMesh) return;
            const base = node.geometry.attributes.position, moved = node.geometry.morphAttributes.position || [];
            const found = Array.from(base.array);
            moved.forEach((target, k) => {
                const weight = node.morphTargetInfluences[k];
                if (weight) for (let i = 0; i < found.length; i++)
                    found[i] += weight * (target.array[i] - (node.geometry.morphTargetsRelative ? 0 : base.array[i]));
            });
            log("at " + time + " " + JSON.stringify([node.name, found]));
        });
    }
}, reason => log("error " + reason));
</script></body></html>"""


def check_browser(folder, path, three="/usr/share/javascript/three"):
    import base64
    import os

    frames = read_frames(folder)
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    chosen = [0, 7, len(frames) - 1]
    times = json.dumps([frames[k][4] for k in chosen])
    with open("page.html", "w") as file:
        file.write(PAGE.replace("THREE/", three + "/").replace("DATA", data).replace("TIMES", times))
    result = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
         "--virtual-time-budget=10000", "--user-data-dir=" + os.getcwd() + "/chromium", "--dump-dom",
         "file://" + os.getcwd() + "/page.html"], capture_output=True, text=True, timeout=120)
    log = result.stdout.partition('<pre id="log">')[2].partition("</pre>")[0]
    assert "error" not in log, log
    lines = [line.split(" ", 2) for line in log.splitlines() if line.startswith("at ")]
    assert len(lines) == 3 * len(chosen), result.stdout[:2000] + result.stderr[:2000]
    parts, starts, first = frames[0][3], {}, 0
    for _, count, name in parts:
        starts[name.replace(" ", "_")] = (first, count)
        first += count
    worst = 0
    for number, (_, _, text) in enumerate(lines):
        name, found = json.loads(text)
        first, count = starts[name]
        expected = [x for point in frames[chosen[number // 3]][0][first : first + count] for x in point]
        worst = max([worst] + [abs(a - b) for a, b in zip(found, expected)])
        assert len(found) == len(expected)
    assert worst < 1e-6, worst


# ---- files of others ----


def read_obj(path):
    vertices, faces = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words and words[0] == "v":
                vertices.append([float(x) for x in words[1:]])
            if words and words[0] == "f":
                faces.append([int(x.split("/")[0]) - 1 for x in words[1:]])
    return vertices, faces


def convert(percale, path):
    subprocess.run([percale, "convert", path, "converted.obj", "--quiet"], check=True)
    return read_obj("converted.obj")


def write_trimesh(percale):
    import numpy as np
    import trimesh
    from trimesh import transformations as moves

    scene = trimesh.Scene()
    turn = moves.rotation_matrix(0.3, [0, 1, 1]) @ moves.translation_matrix([1, 2, 3])
    scene.add_geometry(trimesh.creation.box((1, 2, 3)), node_name="one", geom_name="box", transform=turn)
    scene.add_geometry(trimesh.creation.icosphere(2), node_name="two", parent_node_name="one",
                       transform=moves.translation_matrix([5, 0, 0]))
    scene.export("trimesh.glb")
    for name, content in scene.export(file_type="gltf").items():
        with open(name, "wb") as file:
            file.write(content)
    whole = scene.to_geometry() if hasattr(scene, "to_geometry") else scene.dump(concatenate=True)
    for path in ["trimesh.glb", "model.gltf"]:
        vertices, faces = convert(percale, path)
        assert len(vertices) == len(whole.vertices) and len(faces) == len(whole.faces)
        found = np.array(vertices)[np.array(faces)].mean(1)  # centres of triangles, in any order
        expected = np.array(whole.triangles_center)
        order = [np.lexsort(np.round(points, 4).T) for points in (found, expected)]
        assert np.abs(found[order[0]] - expected[order[1]]).max() < 1e-5


def write_pygltflib(percale):
    import numpy as np
    import pygltflib

    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.5]], "f4")
    corners = np.array([0, 1, 2, 3], "u1")
    blob = corners.tobytes() + points.tobytes()
    gltf = pygltflib.GLTF2(
        scene=0, scenes=[pygltflib.Scene(nodes=[0])],
        nodes=[pygltflib.Node(mesh=0, translation=[0, 0, 2], scale=[2, 2, 2])],
        meshes=[pygltflib.Mesh(primitives=[pygltflib.Primitive(
            attributes=pygltflib.Attributes(POSITION=1), indices=0, mode=5)])],
        accessors=[pygltflib.Accessor(bufferView=0, componentType=5121, count=4, type="SCALAR"),
                   pygltflib.Accessor(bufferView=1, componentType=5126, count=4, type="VEC3",
                                      min=points.min(0).tolist(), max=points.max(0).tolist())],
        bufferViews=[pygltflib.BufferView(buffer=0, byteLength=4, target=34963),
                     pygltflib.BufferView(buffer=0, byteOffset=4, byteLength=48, target=34962)],
        buffers=[pygltflib.Buffer(byteLength=len(blob))])
    gltf.set_binary_blob(blob)
    gltf.save("lib.glb")
    gltf.convert_buffers(pygltflib.BufferFormat.DATAURI)
    gltf.save("lib.gltf")
    for path in ["lib.glb", "lib.gltf"]:
        vertices, faces = convert(percale, path)
        assert np.allclose(vertices, points * 2 + [0, 0, 2], atol=1e-7) and faces == [[0, 1, 2], [2, 1, 3]]


COMMANDS = {
    "mdd": check_mdd,
    "validate": lambda *paths: validate(paths),
    "usd": check_usd,
    "glb": check_glb,
    "glb_body": lambda folder, path: check_glb(folder, path, 1),
    "particles": check_particles,
    "trimesh": lambda folder, path: check_trimesh(folder, path, 0),
    "trimesh_last": lambda folder, path: check_trimesh(folder, path, -1),
    "pygltflib": check_pygltflib,
    "schema": check_schema,
    "browser": check_browser,
    "write_trimesh": write_trimesh,
    "write_pygltflib": write_pygltflib,
}
COMMANDS[sys.argv[1]](*sys.argv[2:])
