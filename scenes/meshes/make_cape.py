#!/usr/bin/env python3
"""Makes cape.pc2 and cape.png, for ../cape.yaml: shoulders that walk, and a painted cloth.

    python3 scenes/meshes/make_cape.py scenes/meshes

cape.pc2: 25 points along the shoulders, 51 frames, 25 per second. cape.png: red where the cape is held, blue where it is
stiff, painted from below as the cloth hangs. Needs nothing but Python.
SPDX-License-Identifier: Apache-2.0
"""
import math
import os
import struct
import sys
import zlib

POINTS, FRAMES, RATE = 25, 51, 25
WIDTH, HEIGHT = 50, 60


def shoulders(frame):
    """Half a second of rest, then steps: forwards, swaying, the shoulders turning against each other."""
    time = frame / RATE
    eased = min(1, max(0, time - 0.4) / 0.6)
    eased = eased * eased * (3 - 2 * eased)
    phase = 2 * math.pi * 1.2 * max(0, time - 0.4)
    turn = eased * math.radians(25) * math.sin(phase)
    forward, up = 0.8 * eased * max(0, time - 0.4), 0.02 * eased * (1 - math.cos(2 * phase))
    for k in range(POINTS):
        x = 0.4 * (2 * k / (POINTS - 1) - 1)
        yield (x * math.cos(turn), 1.5 + up, forward + x * math.sin(turn))


def write_pc2(path):
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, POINTS, 0.0, 1.0, FRAMES))
        for frame in range(FRAMES):
            for point in shoulders(frame):
                file.write(struct.pack("<3f", *point))


def pixel(u, v):
    """Held along the upper edge; stiff in a wave across, and along the hem."""
    held = v > 0.97
    wave = abs(v - 0.45 - 0.06 * math.sin(4 * math.pi * u)) < 0.05
    return bytes((255 if held else 0, 0, 255 if wave or v < 0.05 else 0))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def write_png(path):
    rows = b"".join(b"\0" + b"".join(pixel((x + 0.5) / WIDTH, 1 - (y + 0.5) / HEIGHT) for x in range(WIDTH))
                    for y in range(HEIGHT))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    write_pc2(os.path.join(folder, "cape.pc2"))
    write_png(os.path.join(folder, "cape.png"))
