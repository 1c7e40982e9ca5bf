/* app/draw/camera.h — a camera: its position, fitting it to a scene, rotating it, rays through pixels. Needs no OpenGL.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_DRAW_CAMERA_H
#define PRC_DRAW_CAMERA_H

#include <stdbool.h>

typedef struct prc_camera {
    double eye[3], target[3], up[3];
    double field_of_view; /* from the lower to the upper edge of the picture, degrees */
} prc_camera;

/* Right, up and backwards (from the target to the eye): unit vectors. Any serve where eye and target coincide. */
void prc_camera_axes(const prc_camera *camera, double right[3], double up[3], double back[3]);

/* Moves the camera along its direction and across it so that all points are in the picture, and the picture is filled:
 * `margin` is the part of it that stays free at each edge, `aspect` its width over its height. The direction, from the
 * target to the eye, and `up` stay. Nothing changes where there are no points. */
void prc_camera_fit(prc_camera *camera, const double *points, long count, double aspect, double margin);

/* Turns about the target: `around` the world's up, `over` the top (stops before the poles), degrees. */
void prc_camera_orbit(prc_camera *camera, const double up[3], double around, double over);
/* Moves eye and target across by parts of the picture's height. */
void prc_camera_pan(prc_camera *camera, double right, double up);
/* Comes closer (below 1) or goes farther by a factor. */
void prc_camera_zoom(prc_camera *camera, double factor);

/* World to clip space, columns as OpenGL wants them. `shift` moves the picture by parts of a pixel. */
void prc_camera_matrix(const prc_camera *camera, int width, int height, double near, double far, const double shift[2],
                       float matrix[16]);

/* The ray through a pixel (its middle is at + 0.5): from the eye, with a unit direction. */
void prc_camera_ray(const prc_camera *camera, int width, int height, double x, double y, double origin[3],
                    double direction[3]);
/* Where a point is in the picture, pixels, and how far in front of the camera; false where it is behind it. */
bool prc_camera_project(const prc_camera *camera, int width, int height, const double point[3], double pixel[2],
                        double *depth);

#endif
