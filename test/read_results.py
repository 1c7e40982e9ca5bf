# Reads the results of a run as other programs do, and compares them with its PLY frames.
#   read_results.py compare FOLDER   frames.vtkhdf with h5py and VTK, and the PC2 files, against every frame_*.ply
#   read_results.py whole FILE       a VTKHDF file has whole steps; prints how many
# SPDX-License-Identifier: Apache-2.0
import glob
import os
import struct
import sys

import h5py
import numpy as np

SCALARS = ["stretch_max", "stretch_min", "stress_max", "stress_min", "curvature_mean", "curvature_gauss", "energy",
           "pressure", "gap"]


def read_ply(path):
    """Vertices as a structured array, triangles, edges, time."""
    types = {"float": "<f4", "double": "<f8", "uchar": "u1", "int": "<i4"}
    with open(path, "rb") as file:
        data = file.read()
    header, _, body = data.partition(b"end_header\n")
    counts, fields, time = {}, {}, None
    for line in header.decode().splitlines():
        words = line.split()
        if words[0] == "comment" and "time" in words:
            time = float(words[-2])
        if words[0] == "element":
            element = words[1]
            counts[element], fields[element] = int(words[2]), []
        if words[0] == "property" and words[1] != "list":
            fields[element].append((words[2], types[words[1]]))
    vertex = np.dtype(fields["vertex"])
    face = np.dtype([("n", "u1"), ("v", "<i4", 3)])
    vertices = np.frombuffer(body, vertex, counts["vertex"])
    faces = np.frombuffer(body, face, counts["face"], vertices.nbytes)
    edges = np.zeros((0, 2), "i4")
    if counts.get("edge"):
        edges = np.frombuffer(body, "<i4", 2 * counts["edge"], vertices.nbytes + faces.nbytes).reshape(-1, 2)
    return vertices, faces["v"], edges, time


def columns(vertices, *names):
    return np.stack([vertices[name] for name in names], axis=1)


def check_whole(path):
    """All that the file announces is there, step by step."""
    with h5py.File(path, "r") as file:
        group = file["VTKHDF"]
        steps = int(group["Steps"].attrs["NSteps"])
        points = int(group["NumberOfPoints"][0])
        assert steps > 0 and list(group.attrs["Version"]) == [2, 0]
        assert group["Points"].shape == (steps * points, 3)
        assert group["Steps/Values"].shape == (steps,)
        assert np.all(np.diff(group["Steps/Values"][:]) > 0)
        assert np.all(np.isfinite(group["Points"][:]))
        assert np.all(group["PointData/stretch_max"][:] > 0)  # a chunk that is missing reads as zeros
        assert np.array_equal(group["Steps/PointOffsets"][:], points * np.arange(steps))
        return steps


def compare_h5py(path, frames):
    with h5py.File(path, "r") as file:
        group = file["VTKHDF"]
        assert group.attrs["Type"] == b"UnstructuredGrid"
        assert int(group["Steps"].attrs["NSteps"]) == len(frames)
        points = int(group["NumberOfPoints"][0])
        assert ("radius" in group["PointData"]) == ("radius" in frames[0][0].dtype.names)
        if "radius" in group["PointData"]:  # stored once
            assert np.array_equal(group["PointData/radius"][:], frames[0][0]["radius"])
        for step, (vertices, _, _, time) in enumerate(frames):
            rows = slice(step * points, (step + 1) * points)
            assert abs(group["Steps/Values"][step] - time) < 1e-8 * (1 + time)
            assert np.array_equal(group["Points"][rows], columns(vertices, "x", "y", "z"))
            assert np.array_equal(group["PointData/velocity"][rows], columns(vertices, "vx", "vy", "vz"))
            for name in SCALARS:
                if name in vertices.dtype.names:
                    assert np.array_equal(group["PointData/" + name][rows], vertices[name]), name


def compare_vtk(path, frames):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == len(frames)
    for step, (vertices, faces, edges, time) in enumerate(frames):
        reader.SetStep(step)
        reader.Update()
        grid = reader.GetOutputDataObject(0)
        assert grid.GetClassName() == "vtkUnstructuredGrid"
        assert np.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), columns(vertices, "x", "y", "z"))
        data = grid.GetPointData()
        assert np.array_equal(vtk_to_numpy(data.GetArray("velocity")), columns(vertices, "vx", "vy", "vz"))
        for name in SCALARS + ["obstacle", "radius"]:
            if name in vertices.dtype.names:
                assert np.array_equal(vtk_to_numpy(data.GetArray(name)), vertices[name]), name
        kinds = np.array([grid.GetCellType(c) for c in range(grid.GetNumberOfCells())])
        ids = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
        assert np.array_equal(ids[: faces.size].reshape(-1, 3), faces)
        assert np.array_equal(ids[faces.size : faces.size + edges.size].reshape(-1, 2), edges)
        loose = set(range(len(vertices))) - set(faces.ravel()) - set(edges.ravel())
        assert list(kinds) == [5] * len(faces) + [3] * len(edges) + [1] * len(loose)
        assert len(vtk_to_numpy(grid.GetCellData().GetArray("body"))) == len(kinds)


def compare_pc2(folder, frames):
    bodies = sorted(glob.glob(folder + "/body_*.pc2")) + sorted(glob.glob(folder + "/obstacle_*.pc2"))
    assert bodies
    first = 0
    for path in bodies:
        with open(path, "rb") as file:
            data = file.read()
        magic, version, points, _, _, samples = struct.unpack("<12siiffi", data[:32])
        assert magic == b"POINTCACHE2\0" and version == 1 and samples == len(frames)
        positions = np.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)
        for step, (vertices, _, _, _) in enumerate(frames):
            expected = columns(vertices, "x", "y", "z")[first : first + points].astype("f4")
            assert np.array_equal(positions[step], expected), path
        first += points
    assert first == len(frames[0][0])


def main():
    if sys.argv[1] == "whole":
        print(check_whole(sys.argv[2]))
        return
    folder = sys.argv[2]
    frames = [read_ply(path) for path in sorted(glob.glob(folder + "/frame_*.ply"))]
    path = os.path.join(folder, "frames.vtkhdf")
    assert check_whole(path) == len(frames) > 1
    compare_h5py(path, frames)
    compare_vtk(path, frames)
    compare_pc2(folder, frames)
    print(len(frames), "frames agree")


main()
