# Writes one ribbon of a loose reef knot, for scenes/knot.yaml: a flat strip bent along a centre line.
#
#   awk -v ribbon=0 -f scenes/meshes/make_knot.awk > scenes/meshes/knot_a.obj     # prints the length to stderr
#   awk -v ribbon=1 -f scenes/meshes/make_knot.awk > scenes/meshes/knot_b.obj
#
# Seen from above, both ends of ribbon A come from the left, widen to a bight at the right, and lie above ribbon B at
# its bight, below it in the middle, above it again in A's own bight: over, under, over, over, under, over. Ribbon B is
# A turned by half a turn about the y axis. Vertices and triangles are in the order of `mesh: {strip: ...}` of percale
# with the pattern `regular`, so that such a strip can be the rest shape.
# SPDX-License-Identifier: Apache-2.0

# Uniform cubic B-spline through the control points c[axis, 0 ... last], at t from 0 to last - 2.
function spline(axis, t,    k, u) {
    k = int(t)
    if (k > last - 3)
        k = last - 3
    u = t - k
    return ((1 - u) ^ 3 * c[axis, k] + (3 * u ^ 3 - 6 * u ^ 2 + 4) * c[axis, k + 1] \
            + (-3 * u ^ 3 + 3 * u ^ 2 + 3 * u + 1) * c[axis, k + 2] + u ^ 3 * c[axis, k + 3]) / 6
}

function control(x, y, z) {
    last++
    c[0, last] = x
    c[1, last] = y
    c[2, last] = z
}

BEGIN {
    width = 0.02
    nx = 150
    ny = 3
    last = -1
    # One half of A, from its end to the middle of the bight; then its mirror image.
    count = split("-0.55 0.035 0  -0.45 0.035 0  -0.35 0.035 0  -0.25 0.035 0.012  -0.14 0.035 0.028  -0.06 0.05 0 " \
                  "0 0.082 -0.03  0.06 0.105 0  0.12 0.1 0.022  0.155 0.055 0.022", p, " ") / 3
    for (i = 0; i < count; i++)
        control(p[3 * i + 1], p[3 * i + 2], p[3 * i + 3])
    control(0.16, 0, 0.022)
    for (i = count - 1; i >= 0; i--)
        control(p[3 * i + 1], -p[3 * i + 2], p[3 * i + 3])

    # Points at equal distances along the curve.
    fine = 20000
    for (i = 0; i <= fine; i++) {
        t = (last - 2) * i / fine
        for (a = 0; a < 3; a++)
            now[a] = spline(a, t)
        if (i)
            length_ += sqrt((now[0] - old[0]) ^ 2 + (now[1] - old[1]) ^ 2 + (now[2] - old[2]) ^ 2)
        at[i] = length_
        for (a = 0; a < 3; a++)
            old[a] = now[a]
    }
    printf "length %.6g\n", length_ > "/dev/stderr"
    for (i = j = 0; i <= nx; i++) {
        while (j < fine && at[j + 1] < length_ * i / nx)
            j++
        t = (last - 2) * j / fine
        for (a = 0; a < 3; a++) {
            x[i, a] = spline(a, t)
            d[a] = spline(a, t + 1e-3) - spline(a, t - 1e-3)
        }
        # The width lies level, across the direction of the ribbon.
        norm = sqrt(d[0] ^ 2 + d[1] ^ 2)
        side[i, 0] = -d[1] / norm
        side[i, 1] = d[0] / norm
    }
    sign = ribbon ? -1 : 1
    print "# Ribbon " (ribbon ? "B" : "A") " of a loose reef knot, by make_knot.awk: " nx + 1 " by " ny + 1 " vertices"
    for (j = 0; j <= ny; j++)
        for (i = 0; i <= nx; i++) {
            w = width * (j / ny - 0.5)
            printf "v %.5f %.5f %.5f\n", sign * (x[i, 0] + w * side[i, 0]), x[i, 1] + w * side[i, 1], sign * x[i, 2]
        }
    for (j = 0; j < ny; j++)
        for (i = 0; i < nx; i++) {
            v = j * (nx + 1) + i + 1
            printf "f %d %d %d\nf %d %d %d\n", v, v + 1, v + nx + 2, v, v + nx + 2, v + nx + 1
        }
}
