"""Reads PNG files with the standard library alone, for test_render.sh: a second opinion on what percale has drawn.

    picture.py size FILE                          width x height
    picture.py mean FILE X Y W H                  mean red, green, blue of a part
    picture.py differ FILE FILE X Y W H           pixels of a part that differ by more than 12
    picture.py colours FILE X Y W H               how many different colours a part has
    picture.py project W H EYE TARGET ANGLE POINT where a point is in a picture (vectors as x,y,z; y is up)

SPDX-License-Identifier: Apache-2.0
"""

import math
import struct
import sys
import zlib


def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG file"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], "checksum"
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlaced) == (8, 2, 0), "8 bits of red, green and blue are expected"
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, rows, before = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        kind, row = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for k in range(3 * width):
            left, up, corner = row[k - 3] if k > 2 else 0, before[k], before[k - 3] if k > 2 else 0
            if kind == 4:
                p = left + up - corner
                left_off, up_off, corner_off = abs(p - left), abs(p - up), abs(p - corner)
                guess = left if left_off <= min(up_off, corner_off) else up if up_off <= corner_off else corner
            else:
                guess = (0, left, up, (left + up) // 2)[kind]
            row[k] = (row[k] + guess) & 255
        rows.append(row)
        before = row
    return width, height, rows


def part(rows, x, y, w, h):
    for row in rows[y:y + h]:
        for k in range(x, x + w):
            yield tuple(row[3 * k:3 * k + 3])


def project(width, height, eye, target, angle, point):
    back = [e - t for e, t in zip(eye, target)]
    length = math.hypot(*back)
    back = [b / length for b in back]
    right = [back[2], 0, -back[0]]
    length = math.hypot(*right)
    right = [r / length for r in right]
    up = [back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2],
          back[0] * right[1] - back[1] * right[0]]
    away = [p - e for p, e in zip(point, eye)]
    depth = -sum(a * b for a, b in zip(away, back))
    scale = height / (2 * depth * math.tan(math.radians(angle) / 2))
    return (width / 2 + scale * sum(a * b for a, b in zip(away, right)),
            height / 2 - scale * sum(a * b for a, b in zip(away, up)))


def main(what, *rest):
    if what == "size":
        width, height, _ = read(rest[0])
        print(f"{width}x{height}")
    elif what == "mean":
        pixels = list(part(read(rest[0])[2], *map(int, rest[1:5])))
        print(*(round(sum(p[c] for p in pixels) / len(pixels)) for c in range(3)))
    elif what == "differ":
        one, two = (part(read(name)[2], *map(int, rest[2:6])) for name in rest[:2])
        print(sum(max(abs(a - b) for a, b in zip(p, q)) > 12 for p, q in zip(one, two)))
    elif what == "colours":
        print(len(set(part(read(rest[0])[2], *map(int, rest[1:5])))))
    elif what == "project":
        eye, target, point = ([float(x) for x in rest[k].split(",")] for k in (2, 3, 5))
        print(*(int(x) for x in project(int(rest[0]), int(rest[1]), eye, target, float(rest[4]), point)))


main(*sys.argv[1:])
