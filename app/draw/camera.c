/* app/draw/camera.c — see camera.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "camera.h"

#include <math.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* False, with nothing changed, where there is no direction. */
static bool normalise(double a[3])
{
    const double length = sqrt(dot(a, a));
    if (!(length > 1e-300))
        return false;
    for (int c = 0; c < 3; c++)
        a[c] /= length;
    return true;
}

void prc_camera_axes(const prc_camera *camera, double right[3], double up[3], double back[3])
{
    for (int c = 0; c < 3; c++)
        back[c] = camera->eye[c] - camera->target[c];
    if (!normalise(back))
        memcpy(back, (double[3]){0, 0, 1}, sizeof(double[3]));
    cross(camera->up, back, right);
    if (sqrt(dot(right, right)) < 1e-6 * sqrt(dot(camera->up, camera->up)) || !normalise(right)) {
        /* Looking along `up`: any other axis is up then. */
        double other[3] = {0, 0, 0};
        other[fabs(back[2]) < 0.7 ? 2 : 0] = 1;
        cross(other, back, right);
        normalise(right);
    }
    cross(back, right, up);
}

static double tangent(const prc_camera *camera)
{
    return tan(camera->field_of_view / 2 * RADIANS);
}

/* Where along an axis the camera stands in the middle of what it sees from a distance: as much room on one side as on
 * the other, by halving. */
static double centre(const double *points, long count, const double axis[3], const double back[3], double distance,
                     double low, double high)
{
    for (int k = 0; k < 40; k++) {
        const double middle = (low + high) / 2;
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (long i = 0; i < count; i++) {
            const double slope = (dot(points + 3 * i, axis) - middle) / (distance - dot(points + 3 * i, back));
            least = fmin(least, slope);
            most = fmax(most, slope);
        }
        *(most + least > 0 ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* Half of the way between the planes through the outermost points, on each side of the picture: where two opposite
 * edges of the frustum meet, all points are just between them. The farther of the two pairs decides the distance. */
void prc_camera_fit(prc_camera *camera, const double *points, long count, double aspect, double margin)
{
    double axes[3][3], most[4] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, nearest = -HUGE_VAL;
    prc_camera_axes(camera, axes[0], axes[1], axes[2]);
    const double across[2] = {tangent(camera) * aspect * (1 - 2 * margin), tangent(camera) * (1 - 2 * margin)};
    double middle = 0;
    for (long k = 0; k < count; k++) {
        const double *p = points + 3 * k, z = dot(p, axes[2]);
        for (int c = 0; c < 2; c++) {
            const double along = dot(p, axes[c]);
            most[2 * c] = fmax(most[2 * c], along + across[c] * z);
            most[2 * c + 1] = fmax(most[2 * c + 1], -along + across[c] * z);
        }
        nearest = fmax(nearest, z);
        middle += z / (double)count;
    }
    if (count < 1)
        return;
    double place[3] = {(most[0] - most[1]) / 2, (most[2] - most[3]) / 2, 0};
    place[2] = fmax((most[0] + most[1]) / (2 * across[0]), (most[2] + most[3]) / (2 * across[1]));
    /* A single point, or a line in the direction of sight, has no size: some distance is needed all the same. */
    if (place[2] < nearest + 1e-3)
        place[2] = nearest + 1;
    for (int c = 0; c < 2; c++) {
        const double room = across[c] * (place[2] - nearest) + fabs(place[2]) + fabs(nearest);
        place[c] = centre(points, count, axes[c], axes[2], place[2], place[c] - room, place[c] + room);
    }
    for (int c = 0; c < 3; c++) {
        const double side = place[0] * axes[0][c] + place[1] * axes[1][c];
        camera->eye[c] = side + place[2] * axes[2][c];
        camera->target[c] = side + middle * axes[2][c];
    }
}

/* Rodrigues' rotation of v about a unit axis. */
static void turn(double v[3], const double axis[3], double degrees)
{
    const double s = sin(degrees * RADIANS), c = cos(degrees * RADIANS), along = dot(v, axis) * (1 - c);
    double side[3];
    cross(axis, v, side);
    for (int k = 0; k < 3; k++)
        v[k] = c * v[k] + s * side[k] + along * axis[k];
}

void prc_camera_orbit(prc_camera *camera, const double up[3], double around, double over)
{
    double right[3], own_up[3], back[3], pole[3] = {up[0], up[1], up[2]}, arm[3];
    if (!normalise(pole))
        return;
    prc_camera_axes(camera, right, own_up, back);
    const double height = asin(fmin(1, fmax(-1, dot(back, pole)))) / RADIANS;
    const double wanted = fmin(89, fmax(-89, height + over));
    for (int c = 0; c < 3; c++)
        arm[c] = camera->eye[c] - camera->target[c];
    turn(arm, right, height - wanted);
    turn(arm, pole, around);
    for (int c = 0; c < 3; c++) {
        camera->eye[c] = camera->target[c] + arm[c];
        camera->up[c] = pole[c];
    }
}

static double distance_of(const prc_camera *camera)
{
    double d[3];
    for (int c = 0; c < 3; c++)
        d[c] = camera->eye[c] - camera->target[c];
    return sqrt(dot(d, d));
}

void prc_camera_pan(prc_camera *camera, double right, double up)
{
    double x[3], y[3], z[3];
    prc_camera_axes(camera, x, y, z);
    const double height = 2 * distance_of(camera) * tangent(camera);
    for (int c = 0; c < 3; c++) {
        const double move = height * (right * x[c] + up * y[c]);
        camera->eye[c] += move;
        camera->target[c] += move;
    }
}

void prc_camera_zoom(prc_camera *camera, double factor)
{
    for (int c = 0; c < 3; c++)
        camera->eye[c] = camera->target[c] + factor * (camera->eye[c] - camera->target[c]);
}

void prc_camera_matrix(const prc_camera *camera, int width, int height, double near, double far, const double shift[2],
                       float matrix[16])
{
    double axes[3][3];
    prc_camera_axes(camera, axes[0], axes[1], axes[2]);
    const double scale[2] = {1 / (tangent(camera) * width / height), 1 / tangent(camera)};
    const double pixel[2] = {2 * shift[0] / width, -2 * shift[1] / height};
    const double a = -(far + near) / (far - near), b = -2 * far * near / (far - near);
    for (int k = 0; k < 4; k++) {
        double view[3];
        for (int c = 0; c < 3; c++)
            view[c] = k < 3 ? axes[c][k] : -dot(axes[c], camera->eye);
        for (int c = 0; c < 2; c++)
            matrix[4 * k + c] = (float)(scale[c] * view[c] - pixel[c] * view[2]);
        matrix[4 * k + 2] = (float)(a * view[2] + (k == 3 ? b : 0));
        matrix[4 * k + 3] = (float)-view[2];
    }
}

void prc_camera_ray(const prc_camera *camera, int width, int height, double x, double y, double origin[3],
                    double direction[3])
{
    double axes[3][3];
    prc_camera_axes(camera, axes[0], axes[1], axes[2]);
    const double right = (2 * x / width - 1) * tangent(camera) * width / height;
    const double up = (1 - 2 * y / height) * tangent(camera);
    for (int c = 0; c < 3; c++) {
        origin[c] = camera->eye[c];
        direction[c] = right * axes[0][c] + up * axes[1][c] - axes[2][c];
    }
    normalise(direction);
}

bool prc_camera_project(const prc_camera *camera, int width, int height, const double point[3], double pixel[2],
                        double *depth)
{
    double axes[3][3], away[3];
    prc_camera_axes(camera, axes[0], axes[1], axes[2]);
    for (int c = 0; c < 3; c++)
        away[c] = point[c] - camera->eye[c];
    const double front = -dot(away, axes[2]);
    if (depth)
        *depth = front;
    if (!(front > 0))
        return false;
    pixel[0] = (dot(away, axes[0]) / (front * tangent(camera) * width / height) + 1) / 2 * width;
    pixel[1] = (1 - dot(away, axes[1]) / (front * tangent(camera))) / 2 * height;
    return true;
}
