/* schema/schema.inl — every key of percale: name, place, default, range, unit, one sentence.
 *
 * An X-macro list; whoever includes it defines the macros it wants, the rest expand to nothing.
 *
 *   TABLE(id, core, whole, mark, note)    opens a table: its public def (or PRC_SCENE_ONLY), its struct, its mark
 *   REAL(owner, field, default, range, unit, note)
 *   VECTOR(owner, field, count, defaults, range, unit, note)
 *   INT, BOOL, ENUM, TEXT, SUBTABLE, LIST and the others below: see schema.c
 *   END(id)
 *
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef TABLE
#define TABLE(id, core, whole, mark, note)
#endif
#ifndef END
#define END(id)
#endif
#ifndef REAL
#define REAL(owner, field, fallback, range, unit, note)
#define VECTOR(owner, field, count, fallbacks, range, unit, note)
#define INT(owner, field, fallback, low, high, required, note)
#define INTS(owner, field, count, fallbacks, low, high, note)
#define BODIES(owner, field, count, note)
#define BODY(owner, field, note)
#define BODY_LIST(owner, field, number, note)
#define BOOL(owner, field, fallback, note)
#define ENUM(owner, field, names, fallback, note)
#define NAMES(owner, field, names, fallback, note)
#define TEXT(owner, field, note)
#define PATH(owner, field, note)
#define REALS(owner, field, number, most, range, unit, note)
#define PAIRS(owner, field, number, most, unit, note)
#define INT_LIST(owner, field, number, low, high, note)
#define POINTS(owner, field, unit, note)
#define LINES(owner, field, unit, note)
#define VARIABLES(owner, field, note)
#define INCLUDE(owner, field, note)
#define SUBTABLE(owner, name, offset, id, required, note)
#define ARRAY(owner, field, number, most, id, note)
#define LIST(owner, field, number, id, required, note)
#define LIST_OR_FILE(owner, field, number, id, note)
#define LIST_OR_ONE(owner, field, number, id, note)
#define VARIANT(owner, field, names, fallback, offset, id, note)
#endif

TABLE(scene, sizeof(prc_sim_def), prc_scene_spec, PRC_NO_MARK, "The whole scene. All units are SI.")
INT(prc_scene_spec, percale, 1, 1, 1, true, "Version of the scene language.")
INCLUDE(prc_scene_spec, include,
        "Other scene files that this one builds on; the values of this file win. Tables are merged; the lists of "
        "bodies, colliders, obstacles, springs and seams are joined, and items of the same name are merged; other "
        "lists are replaced.")
VARIABLES(prc_scene_spec, variables,
          "Named numbers, which may be used wherever a number is expected: `radius: size / 2`. Each may be an "
          "expression of others.")
SUBTABLE(prc_sim_def, time, offsetof(prc_sim_def, time), time, false, "Time step, duration and frames.")
VECTOR(prc_sim_def, gravity, 3, V3(0, -9.81, 0), ANY, "m/s²", "Acceleration due to gravity.")
SUBTABLE(prc_sim_def, air, offsetof(prc_sim_def, air), air, false, "Air drag and wind.")
SUBTABLE(prc_sim_def, solver, offsetof(prc_sim_def, solver), solver, false, "How each step is solved.")
ENUM(prc_sim_def, precision, precision_names, PRC_PRECISION_DOUBLE, "Floating-point precision of the solver.")
ENUM(prc_sim_def, backend, backend_names, PRC_BACKEND_AUTO,
     "Where to compute: cuda uses an NVIDIA GPU; auto uses a GPU if there is one and the scene is large enough to gain "
     "by it, else the CPU. device_on_host runs the code of the GPU on the CPU, for tests.")
INT(prc_sim_def, threads, 0, 0, 4096, false, "Number of CPU threads; 0 uses all processors.")
SUBTABLE(prc_sim_def, contact, offsetof(prc_sim_def, contact), contact, false,
         "Contact of cloth with itself, other cloth, obstacles and colliders.")
SUBTABLE(prc_sim_def, output, offsetof(prc_sim_def, output), output, false,
         "Files that a run writes, and the data in its frames.")
SUBTABLE(prc_sim_def, camera, offsetof(prc_sim_def, camera), camera, false, "The camera of rendered pictures.")
LIST(prc_scene_spec, colliders, collider_count, collider, false, "Solid shapes that cloth cannot enter.")
LIST(prc_scene_spec, bodies, body_count, body, true, "The pieces of cloth (membranes) in the scene.")
LIST(prc_scene_spec, obstacles, obstacle_count, obstacle, false,
     "Surfaces, polylines and points with prescribed motion that cloth collides with.")
LIST(prc_scene_spec, springs, spring_count, spring, false,
     "Springs and ropes between bodies, obstacles and fixed points.")
LIST(prc_scene_spec, seams, seam_count, seam, false, "Edges of cloth that are sewn together.")
END(scene)

TABLE(contact, sizeof(prc_contact_def), prc_contact_def, PRC_NO_MARK,
      "Contact of cloth with itself, other cloth, obstacles and colliders.")
BOOL(prc_contact_def, enabled, false, "Enables contact; obstacles and colliders need it.")
ENUM(prc_contact_def, method, contact_method_names, PRC_CONTACT_BARRIER,
     "barrier solves contact together with elasticity; projection is the local step of the projective peridynamics "
     "paper, without friction, for comparison.")
REAL(prc_contact_def, thickness, 2e-3, ABOVE(0), "m",
     "Distance at which surfaces are held apart, approximately; they never come nearer than 0.8 of it. Less between "
     "parts of one body that are closer than this at rest, as on a fine mesh.")
REAL(prc_contact_def, d_hat, 0, AT_LEAST(0), "m",
     "Contact forces act at distances below thickness + d_hat; 0 takes a third of the thickness, for particles a tenth of the radius.")
REAL(prc_contact_def, friction, 0, AT_LEAST(0), "",
     "Coulomb friction coefficient of bodies and obstacles that have none of their own.")
REAL(prc_contact_def, eps_v, 1e-3, ABOVE(0), "m/s",
     "Sliding speed below which contacts stick: Coulomb's law is smoothed up to this speed.")
REAL(prc_contact_def, stiffness, 0, AT_LEAST(0), "N/m",
     "Stiffness of the barrier; 0 derives it from mass, elasticity and time step.")
INT(prc_contact_def, friction_lag, 0, 0, 1000, false,
    "0: friction uses the normal forces of the current iteration. n: the normal forces are frozen during a solve, and "
    "a step makes n solves; the first uses those of the start of the step.")
LIST(prc_contact_def, pairs, pair_count, contact_pair, false,
     "Friction coefficients for given pairs of bodies, in place of the mean of the two.")
ENUM(prc_contact_def, start, start_names, PRC_START_REFUSE,
     "What to do if surfaces intersect or are too close at the start: refuse reports an error; push_apart opens gaps "
     "that are too small, but refuses intersections; exempt also leaves intersecting pairs out of the guarantee "
     "against intersection until they have come apart. Pairs without a free vertex are exempt for good in any case.")
END(contact)

TABLE(contact_pair, sizeof(prc_contact_pair_def), prc_contact_pair_def, PRC_NO_MARK, "Friction between two bodies.")
BODIES(prc_contact_pair_def, bodies, 2, "The two bodies; the same one twice for its contact with itself.")
REAL(prc_contact_pair_def, friction, 0, AT_LEAST(0), "", "Coulomb friction coefficient.")
END(contact_pair)

TABLE(output, sizeof(prc_output_def), prc_output_def, PRC_NO_MARK,
      "Files that a run writes, and the data in its frames besides positions, velocities and stretches.")
NAMES(prc_output_def, formats, format_names, PRC_FORMAT_PLY,
      "Files to write: ply and obj, one file per frame; vtkhdf, one file with all frames, for ParaView; pc2, one file "
      "of positions per body, for Blender.")
ENUM(prc_output_def, precision, precision_names, PRC_PRECISION_SINGLE,
     "Precision of the numbers in frames; pc2 is always single.")
BOOL(prc_output_def, stress, false,
     "`stress_max`, `stress_min`: principal Cauchy stresses of the membrane, N/m, without damping and bending.")
BOOL(prc_output_def, curvature, false,
     "`curvature_mean`, `curvature_gauss`: mean and Gaussian curvature, 1/m and 1/m²; the mean is positive where the "
     "surface bends away from its normal.")
BOOL(prc_output_def, energy, false, "`energy`: elastic energy per rest area, J/m².")
BOOL(prc_output_def, pressure, false, "`pressure`: normal contact forces on the vertex, divided by its area, Pa.")
BOOL(prc_output_def, gap, false,
     "`gap`: distance minus thickness, the smallest of all contacts that push on the vertex, m.")
BOOL(prc_output_def, residual, false,
     "`residual`: the force left unbalanced by the last step, as the velocity that it would give the vertex in one "
     "step, m/s.")
INT(prc_output_def, checkpoint_steps, 0, 0, 2147483647, false, "Number of steps between checkpoints; 0: none by steps.")
REAL(prc_output_def, checkpoint_minutes, 5, AT_LEAST(0), "min",
     "Minutes of wall-clock time between checkpoints; 0: none by time. A run also writes one at its start and at its "
     "end.")
END(output)

TABLE(camera, sizeof(prc_camera_def), prc_camera_def, PRC_NO_MARK,
      "The camera of rendered pictures; it does not affect the motion. If eye and target are the same point, a view of "
      "the whole scene is chosen.")
VECTOR(prc_camera_def, eye, 3, V3(0, 0, 0), ANY, "m", "Position of the camera.")
VECTOR(prc_camera_def, target, 3, V3(0, 0, 0), ANY, "m", "Point in the middle of the picture.")
VECTOR(prc_camera_def, up, 3, V3(0, 0, 0), ANY, "",
       "Direction that points up in the picture; all 0: opposite to gravity.")
REAL(prc_camera_def, field_of_view, 30, BETWEEN(1, 150), "degrees",
     "Vertical angle of view, from the lower to the upper edge of the picture.")
END(camera)

TABLE(collider, sizeof(prc_collider_def), prc_collider_spec, offsetof(prc_collider_spec, mark),
      "A solid shape that cloth cannot enter.")
ENUM(prc_collider_def, shape, shape_names, PRC_SHAPE_SPHERE, "Kind of shape.")
VECTOR(prc_collider_def, center, 3, V3(0, 0, 0), ANY, "m", "Center of the shape, or a point of the plane, at time 0.")
VECTOR(prc_collider_def, axis, 3, V3(0, 1, 0), ANY, "", "Normal of a plane; axis of a capsule, cylinder or cone.")
REAL(prc_collider_def, radius, 0.5, ABOVE(0), "m", "sphere, capsule, cylinder: radius; cone: radius at the base.")
REAL(prc_collider_def, radius_top, 0, AT_LEAST(0), "m", "cone: radius at the other end; 0 for a tip.")
REAL(prc_collider_def, length, 1, ABOVE(0), "m",
     "capsule, cylinder, cone: length along the axis, with `center` in the middle.")
VECTOR(prc_collider_def, size, 3, V3(1, 1, 1), ABOVE(0), "m", "box: lengths along x, y, z.")
SUBTABLE(prc_collider_def, rotate, offsetof(prc_collider_def, rotate), rotate, false,
         "Rotation about the center, at time 0.")
SUBTABLE(prc_collider_spec, mesh, offsetof(prc_collider_spec, shape), mesh, false,
         "mesh: a closed surface, relative to the center; it may have several parts and intersect itself.")
SUBTABLE(prc_collider_spec, place, offsetof(prc_collider_spec, place), place, false,
         "mesh: placement of the mesh relative to the center; the collider's rotate is applied after it.")
INT(prc_collider_def, resolution, 64, 4, 4096, false,
    "mesh: number of cells along the longest side of the distance field that determines, at the start, what is inside "
    "and which way is out.")
REAL(prc_collider_def, friction, -1, ANY, "",
     "Coulomb friction coefficient; negative takes that of the body that touches it.")
SUBTABLE(prc_collider_def, motion, offsetof(prc_collider_def, motion), path, false, "Prescribed motion.")
SUBTABLE(prc_collider_spec, instances, offsetof(prc_collider_spec, instances), instances, false,
         "Copies of this collider.")
END(collider)

TABLE(obstacle, sizeof(prc_obstacle_def), prc_obstacle_spec, offsetof(prc_obstacle_spec, mark),
      "A surface, edges or points with prescribed motion; at least one of mesh, points and polylines.")
TEXT(prc_obstacle_def, name, "Name for messages and files.")
SUBTABLE(prc_obstacle_spec, mesh, offsetof(prc_obstacle_spec, shape), mesh, false,
         "A surface; it may intersect itself and need not be manifold.")
POINTS(prc_obstacle_spec, points, "m", "Single points.")
LINES(prc_obstacle_spec, polylines, "m", "Needles and threads: each is a list of points, joined by edges.")
SUBTABLE(prc_obstacle_spec, place, offsetof(prc_obstacle_spec, place), place, false,
         "Placement of the whole obstacle; it also applies to the frames of an animation.")
SUBTABLE(prc_obstacle_def, motion, offsetof(prc_obstacle_def, motion), path, false,
         "Prescribed motion, applied after the animation.")
SUBTABLE(prc_obstacle_spec, animation, offsetof(prc_obstacle_spec, animation), animation, false,
         "Vertex positions frame by frame, in place of those of the mesh.")
REAL(prc_obstacle_def, contact_thickness, 0, AT_LEAST(0), "m", "Contact thickness; 0 takes contact.thickness.")
REAL(prc_obstacle_def, friction, -1, ANY, "", "Coulomb friction coefficient; negative takes contact.friction.")
SUBTABLE(prc_obstacle_spec, instances, offsetof(prc_obstacle_spec, instances), instances, false,
         "Copies of this obstacle.")
END(obstacle)

TABLE(animation, PRC_SCENE_ONLY, prc_animation_spec, offsetof(prc_animation_spec, mark),
      "Frames from one file or from numbered files: linear interpolation between frames, constant before the first and "
      "after the last.")
PATH(prc_animation_spec, file, "A PC2 or MDD file, relative to the scene file.")
PATH(prc_animation_spec, pattern, "Numbered mesh files, starting at 0 or 1: kick_%04d.obj; relative to the scene file.")
TEXT(prc_animation_spec, memory,
     "Name of a motion that the program reading the scene provides: a function in Python. No other key may be given "
     "with it.")
REAL(prc_animation_spec, frames_per_second, 25, ABOVE(0), "1/s", "Frame rate of the animation.")
REAL(prc_animation_spec, start, 0, ANY, "s", "Time of the first frame.")
END(animation)

TABLE(path, sizeof(prc_motion_def), prc_motion_def, PRC_NO_MARK,
      "A rigid motion: a velocity, a steady rotation, poses at given times, or the sum of these. The motion of a pin "
      "starts from where its vertices are when the pin takes hold: velocity and rotation begin then at the earliest, "
      "and only the change of the keys since then counts.")
VECTOR(prc_motion_def, velocity, 3, V3(0, 0, 0), ANY, "m/s", "Constant velocity.")
SUBTABLE(prc_motion_def, rotation, 0, turning, false, "Steady rotation about an axis.")
LIST_OR_FILE(prc_motion_def, keys, key_count, pose,
             "Poses, in order of time. A CSV file, relative to the scene file, has the columns time, x, y, z and "
             "optionally axis_x, axis_y, axis_z, degrees, in this order or as named in its first line.")
ENUM(prc_motion_def, ease, ease_names, PRC_EASE_LINEAR,
     "Motion between keys: linear moves at constant speed, smooth comes to rest at each key.")
REAL(prc_motion_def, from, 0, ANY, "s", "Time at which velocity and rotation begin.")
REAL(prc_motion_def, until, 1e300, UNTIL, "s", "Time at which velocity and rotation end.")
END(path)

TABLE(turning, sizeof(prc_motion_def), prc_motion_def, PRC_NO_MARK,
      "A steady rotation; its center is also that of the keys.")
VECTOR(prc_motion_def, axis, 3, V3(0, 1, 0), ANY, "", "Axis; its length does not matter, but it must not be zero.")
VECTOR(prc_motion_def, center, 3, V3(0, 0, 0), ANY, "m",
       "A point on the axis; it moves with the velocity and the keys.")
REAL(prc_motion_def, degrees_per_second, 0, ANY, "degrees/s", "Angular speed, by the right-hand rule.")
REAL(prc_motion_def, pitch, 0, ANY, "m", "Distance moved along the axis per turn: a screw motion.")
END(turning)

TABLE(pose, sizeof(prc_pose_key), prc_pose_key, PRC_NO_MARK, "Position and rotation at one time.")
REAL(prc_pose_key, time, 0, ANY, "s", "Time of this pose.")
VECTOR(prc_pose_key, translate, 3, V3(0, 0, 0), ANY, "m", "Displacement from the original place.")
SUBTABLE(prc_pose_key, rotate, 0, pose_turn, false, "Rotation about the center of `rotation`.")
END(pose)

TABLE(pose_turn, sizeof(prc_pose_key), prc_pose_key, PRC_NO_MARK, "A rotation.")
VECTOR(prc_pose_key, axis, 3, V3(0, 1, 0), ANY, "", "Axis; its length does not matter, but it must not be zero.")
REAL(prc_pose_key, degrees, 0, ANY, "degrees", "Angle, by the right-hand rule; values above 360 mean several turns.")
END(pose_turn)

TABLE(time, sizeof(prc_time_def), prc_time_def, PRC_NO_MARK, "Time step, duration and frames.")
REAL(prc_time_def, step, 1e-3, ABOVE(0), "s", "Length of a time step.")
REAL(prc_time_def, duration, 1, AT_LEAST(0), "s", "Simulated time of a run.")
REAL(prc_time_def, frames_per_second, 60, ABOVE(0), "1/s", "Frames written per simulated second.")
ENUM(prc_time_def, integrator, integrator_names, PRC_INTEGRATOR_EULER,
     "euler: implicit Euler (first order, strong numerical damping); bdf2: second order, little numerical damping.")
END(time)

TABLE(air, sizeof(prc_air_def), prc_air_def, PRC_NO_MARK, "Air drag and wind.")
REAL(prc_air_def, density, 0, AT_LEAST(0), "kg/m³", "Density of the air, 1.2 near the ground; 0 for no air.")
REAL(prc_air_def, drag, 1, AT_LEAST(0), "", "Drag coefficient for flow along the normal of the surface.")
VECTOR(prc_air_def, wind, 3, V3(0, 0, 0), ANY, "m/s", "Velocity of the wind.")
SUBTABLE(prc_air_def, gusts, offsetof(prc_air_def, gusts), gusts, false, "Random gusts, added to the wind.")
END(air)

TABLE(gusts, sizeof(prc_gust_def), prc_gust_def, PRC_NO_MARK,
      "A smooth random velocity with mean 0, added to the wind; the same on every machine.")
REAL(prc_gust_def, strength, 0, AT_LEAST(0), "m/s", "Root mean square of each of the three components; 0 for none.")
REAL(prc_gust_def, period, 1, ABOVE(0), "s", "Time scale on which gusts change.")
REAL(prc_gust_def, length, 0, AT_LEAST(0), "m",
     "Width of a gust: gusts vary in space and travel with the wind. 0: the same everywhere.")
INT(prc_gust_def, seed, 1, 0, 2147483647, false, "Random seed; another seed gives other gusts.")
END(gusts)

TABLE(solver, sizeof(prc_solver_def), prc_solver_def, PRC_NO_MARK, "How each step is solved.")
ENUM(prc_solver_def, method, method_names, PRC_METHOD_NEWTON, "Global solver; newton is the fastest on most scenes.")
REAL(prc_solver_def, tolerance, 0, AT_LEAST(0), "m/s",
     "A step has converged when its remaining error, as a velocity, is below this. 0 takes 1e-4; with friction at most "
     "a thousandth of gravity times step, because cloth would otherwise stick where it should slide.")
INT(prc_solver_def, max_iterations, 100, 1, 1000000, false,
    "Maximum number of outer iterations of a step; reaching it is reported.")
INT(prc_solver_def, max_inner, 500, 1, 1000000, false,
    "newton: maximum number of conjugate-gradient iterations per linear solve.")
REAL(prc_solver_def, inner_tolerance, 0.3, INSIDE(0, 1), "",
     "newton: each linear solve ends when its residual has fallen by this factor.")
INT(prc_solver_def, inner_sweeps, 1, 1, 1000, false, "sissm: Jacobi sweeps per linearisation.")
INT(prc_solver_def, anderson_window, 5, 1, 20, false, "anderson: number of earlier iterates that are combined.")
REAL(prc_solver_def, chebyshev_radius, 0.9999, INSIDE(0, 1), "", "chebyshev: estimate of the spectral radius.")
ENUM(prc_solver_def, preconditioner, preconditioner_names, PRC_PRECONDITIONER_AUTO,
     "newton: preconditioner; auto takes multilevel where linear solves are long.")
INT(prc_solver_def, max_substeps, 8, 1, 1024, false,
    "A step that does not converge is retried in two halves, and those again in halves, up to this many sub-steps; 1 "
    "disables retries.")
ENUM(prc_solver_def, unconverged, unconverged_names, PRC_UNCONVERGED_STOP,
     "What a run does if a step does not converge even with retries: stop, or go_on from the result, which never "
     "intersects, but is not exact.")
END(solver)

TABLE(body, sizeof(prc_body_def), prc_body_spec, offsetof(prc_body_spec, mark), "One body: a membrane, or particles.")
TEXT(prc_body_def, name, "Name for messages and files.")
ENUM(prc_body_def, kind, body_kind_names, PRC_BODY_MEMBRANE,
     "membrane: cloth, rubber, a thin shell, with the triangles of the mesh; particles: a ball at each of its vertices.")
SUBTABLE(prc_body_spec, mesh, offsetof(prc_body_spec, shape), mesh, true, "Shape at time 0: one generator, or a file.")
SUBTABLE(prc_body_spec, place, offsetof(prc_body_spec, place), place, false, "Placement of the mesh at time 0.")
VARIANT(prc_body_def, rest, rest_names, PRC_REST_MESH, offsetof(prc_body_spec, rest_shape), mesh,
        "Stress-free shape: the mesh before placement, its texture coordinates, or another mesh with the same "
        "triangles.")
ENUM(prc_body_def, discretisation, discretisation_names, PRC_DISCRETISATION_AVERAGED,
     "How deformation is measured at a vertex; all but the default are for comparison.")
SUBTABLE(prc_body_def, material, offsetof(prc_body_def, material), material, false, "Material of the cloth.")
SUBTABLE(prc_body_def, particle, offsetof(prc_body_def, particle), particle, false,
         "Size and weight of each particle, with kind: particles.")
LIST(prc_body_spec, groups, group_count, group, false,
     "Other materials for groups of vertices; where groups overlap, the last one applies.")
VECTOR(prc_body_def, velocity, 3, V3(0, 0, 0), ANY, "m/s", "Velocity of the whole body at time 0.")
SUBTABLE(prc_body_spec, spin, offsetof(prc_body_spec, spin), spin, false, "Rotation of the whole body at time 0.")
REAL(prc_body_def, contact_thickness, 0, AT_LEAST(0), "m",
     "Contact thickness; two bodies use the mean of theirs. 0 takes contact.thickness.")
REAL(prc_body_def, friction, -1, ANY, "",
     "Coulomb friction coefficient; two bodies use the geometric mean of theirs. Negative takes contact.friction.")
LIST(prc_body_spec, pins, pin_count, pin, false,
     "Vertices with prescribed motion; where pins overlap, the later one applies.")
LIST(prc_body_spec, forces, force_count, force, false, "Forces on groups of vertices.")
SUBTABLE(prc_body_spec, pressure, offsetof(prc_body_spec, pressure), pressure, false,
         "Pressure inside the body, which must be closed, alone or together with other bodies.")
LIST(prc_body_spec, velocities, velocity_count, start_velocity, false,
     "Velocities of groups of vertices at time 0, added to velocity and spin.")
SUBTABLE(prc_body_spec, instances, offsetof(prc_body_spec, instances), instances, false, "Copies of this body.")
END(body)

TABLE(particle, sizeof(prc_particle_def), prc_particle_def, PRC_NO_MARK, "A ball that does not turn.")
REAL(prc_particle_def, radius, 5e-3, ABOVE(0), "m", "Radius; contact keeps balls and surfaces apart by it.")
REAL(prc_particle_def, density, 2500, ABOVE(0), "kg/m³", "Mass over the volume of the ball.")
END(particle)

TABLE(start_velocity, PRC_SCENE_ONLY, prc_start_velocity_spec, offsetof(prc_start_velocity_spec, mark),
      "Velocity of a group of vertices at time 0; where groups overlap, velocities are added.")
SUBTABLE(prc_start_velocity_spec, select, offsetof(prc_start_velocity_spec, select), select, true, "The vertices.")
VECTOR(prc_start_velocity_spec, velocity, 3, V3(0, 0, 0), ANY, "m/s", "Velocity.")
SUBTABLE(prc_start_velocity_spec, spin, offsetof(prc_start_velocity_spec, spin), spin, false, "Rotation.")
END(start_velocity)

TABLE(instances, PRC_SCENE_ONLY, prc_instances_spec, offsetof(prc_instances_spec, mark),
      "Copy number k, from 0, is rotated by k times the angle and then moved by k times the offset, with all that "
      "belongs to it: selections, pins, forces, motions. Its name ends in _k.")
INT(prc_instances_spec, count, 1, 1, 100000, true, "Number of copies, the original included.")
VECTOR(prc_instances_spec, offset, 3, V3(0, 0, 0), ANY, "m", "Displacement of each copy from the one before.")
SUBTABLE(prc_instances_spec, rotate, offsetof(prc_instances_spec, rotate), instance_turn, false,
         "Rotation of each copy against the one before.")
END(instances)

TABLE(instance_turn, PRC_SCENE_ONLY, prc_instance_turn_spec, PRC_NO_MARK, "A rotation about an axis through a point.")
VECTOR(prc_instance_turn_spec, axis, 3, V3(0, 1, 0), ANY, "",
       "Axis; its length does not matter, but it must not be zero.")
REAL(prc_instance_turn_spec, degrees, 0, ANY, "degrees", "Angle, by the right-hand rule.")
VECTOR(prc_instance_turn_spec, center, 3, V3(0, 0, 0), ANY, "m", "A point on the axis.")
END(instance_turn)

TABLE(mesh, PRC_SCENE_ONLY, prc_mesh_spec, offsetof(prc_mesh_spec, mark),
      "Exactly one of: a shape, file, memory. vertices, split_texture and mend are allowed only with file.")
SUBTABLE(prc_mesh_spec, grid, offsetof(prc_mesh_spec, grid), grid, false, "A rectangle in the x–y plane, normal +z.")
SUBTABLE(prc_mesh_spec, strip, offsetof(prc_mesh_spec, strip), strip, false,
         "A long rectangle in the x–y plane, normal +z.")
SUBTABLE(prc_mesh_spec, disc, offsetof(prc_mesh_spec, disc), disc, false, "A disc in the x–y plane, normal +z.")
SUBTABLE(prc_mesh_spec, cylinder, offsetof(prc_mesh_spec, cylinder), cylinder, false,
         "An open cylinder about the y axis.")
SUBTABLE(prc_mesh_spec, cone, offsetof(prc_mesh_spec, cone), cone, false, "An open truncated cone about the y axis.")
SUBTABLE(prc_mesh_spec, sphere, offsetof(prc_mesh_spec, sphere), sphere, false, "A closed sphere.")
SUBTABLE(prc_mesh_spec, torus, offsetof(prc_mesh_spec, torus), torus, false, "A closed torus about the y axis.")
SUBTABLE(prc_mesh_spec, ribbon, offsetof(prc_mesh_spec, ribbon), ribbon, false,
         "A ribbon wound about the y axis, or straight and twisted.")
SUBTABLE(prc_mesh_spec, lattice, offsetof(prc_mesh_spec, lattice), lattice, false,
         "Points in rows and layers, for particles and obstacles.")
SUBTABLE(prc_mesh_spec, packing, offsetof(prc_mesh_spec, packing), packing, false,
         "Random points in a box, sphere or cylinder, for particles and obstacles.")
PATH(prc_mesh_spec, file, "An OBJ, PLY, STL, glTF, Gmsh MSH or legacy VTK file, relative to the scene file.")
TEXT(prc_mesh_spec, memory, "Name of a mesh that the program reading the scene provides: arrays in Python.")
INTS(prc_mesh_spec, vertices, 2, V2(0, 0), 0, 2147483647,
     "With file: number of the first vertex and count of vertices to keep, for a file with several objects; [0, 0] "
     "keeps all.")
BOOL(prc_mesh_spec, split_texture, false,
     "With file: splits a vertex with several texture coordinates into several vertices, which cuts the mesh open "
     "along its texture seams.")
BOOL(prc_mesh_spec, mend, true,
     "With file, for membranes and colliders: removes isolated vertices, duplicate triangles and triangles that name a "
     "vertex twice, and flips triangles that face the other way than their neighbours. Vertices keep the numbers they "
     "have in the file.")
END(mesh)

TABLE(grid, sizeof(prc_grid_def), prc_grid_def, PRC_NO_MARK,
      "A rectangle centred at the origin, corners 0 (-x,-y), 1 (+x,-y), 2 (+x,+y), 3 (-x,+y).")
VECTOR(prc_grid_def, size, 2, V2(1, 1), ABOVE(0), "m", "Lengths along x and y.")
INTS(prc_grid_def, cells, 2, V2(50, 50), 1, 1000000, "Cells along x and y.")
ENUM(prc_grid_def, pattern, pattern_names, PRC_GRID_REGULAR, "How cells are divided into triangles.")
REAL(prc_grid_def, jitter, 0.25, BETWEEN(0, 0.45), "",
     "irregular: largest displacement of a vertex, as a fraction of the cell.")
INT(prc_grid_def, seed, 1, 0, 2147483647, false, "irregular: the same seed gives the same mesh on every machine.")
END(grid)

TABLE(strip, PRC_SCENE_ONLY, prc_strip_spec, PRC_NO_MARK,
      "A rectangle centred at the origin, with the corners of a grid.")
REAL(prc_strip_spec, length, 1, ABOVE(0), "m", "Length along x.")
REAL(prc_strip_spec, width, 0.1, ABOVE(0), "m", "Width along y.")
INTS(prc_strip_spec, cells, 2, V2(40, 4), 1, 1000000, "Cells along x and y.")
ENUM(prc_strip_spec, pattern, pattern_names, PRC_GRID_REGULAR, "How cells are divided into triangles.")
REAL(prc_strip_spec, jitter, 0.25, BETWEEN(0, 0.45), "",
     "irregular: largest displacement of a vertex, as a fraction of the cell.")
INT(prc_strip_spec, seed, 1, 0, 2147483647, false, "irregular: the same seed gives the same mesh on every machine.")
END(strip)

TABLE(disc, PRC_SCENE_ONLY, prc_disc_spec, PRC_NO_MARK, "A disc centred at the origin.")
REAL(prc_disc_spec, radius, 0.5, ABOVE(0), "m", "Radius.")
INT(prc_disc_spec, rings, 10, 1, 2580, false, "Rings of triangles.")
END(disc)

TABLE(cylinder, PRC_SCENE_ONLY, prc_cylinder_spec, PRC_NO_MARK,
      "An open cylinder about the y axis, centred at the origin, normals outwards.")
REAL(prc_cylinder_spec, radius, 0.25, ABOVE(0), "m", "Radius.")
REAL(prc_cylinder_spec, height, 1, ABOVE(0), "m", "Length along y.")
INTS(prc_cylinder_spec, cells, 2, V2(24, 16), 1, 1000000, "Cells around the axis and along it.")
END(cylinder)

TABLE(cone, PRC_SCENE_ONLY, prc_cone_spec, PRC_NO_MARK,
      "An open truncated cone about the y axis, centred at the origin, normals outwards.")
REAL(prc_cone_spec, radius, 0.25, ABOVE(0), "m", "Radius at its lower end.")
REAL(prc_cone_spec, radius_top, 0.5, ABOVE(0), "m", "Radius at its upper end.")
REAL(prc_cone_spec, height, 1, ABOVE(0), "m", "Length along y.")
INTS(prc_cone_spec, cells, 2, V2(24, 16), 1, 1000000, "Cells around the axis and along it.")
END(cone)

TABLE(sphere, PRC_SCENE_ONLY, prc_sphere_spec, PRC_NO_MARK, "A closed sphere centred at the origin, normals outwards.")
REAL(prc_sphere_spec, radius, 0.5, ABOVE(0), "m", "Radius.")
INT(prc_sphere_spec, subdivisions, 3, 0, 8, false, "Subdivisions of an icosahedron: 20·4^subdivisions triangles.")
END(sphere)

TABLE(torus, PRC_SCENE_ONLY, prc_torus_spec, PRC_NO_MARK,
      "A closed torus about the y axis, centred at the origin, normals outwards.")
REAL(prc_torus_spec, radius, 0.35, ABOVE(0), "m", "Distance from the axis to the middle of the tube.")
REAL(prc_torus_spec, tube, 0.1, ABOVE(0), "m", "Radius of the tube; must be smaller than `radius`.")
INTS(prc_torus_spec, cells, 2, V2(48, 16), 3, 1000000, "Cells around the axis and around the tube.")
END(torus)

TABLE(ribbon, PRC_SCENE_ONLY, prc_ribbon_def, PRC_NO_MARK,
      "A strip wound onto a cylinder about the y axis along a helix, unstretched, centred at the origin, normals "
      "outwards. Its texture coordinates are those of the flat strip: with `rest: texture` the ribbon is straight at "
      "rest.")
REAL(prc_ribbon_def, radius, 0.1, AT_LEAST(0), "m",
     "Radius of the cylinder; 0: a straight ribbon along y, of length pitch · turns, normal +z.")
REAL(prc_ribbon_def, pitch, 0.1, ANY, "m",
     "Rise per turn; negative winds to the left. Windings overlap unless it is larger than the width.")
REAL(prc_ribbon_def, turns, 3, ABOVE(0), "", "Number of turns.")
REAL(prc_ribbon_def, width, 0.05, ABOVE(0), "m", "Width across the strip.")
REAL(prc_ribbon_def, twist, 0, ANY, "degrees",
     "Rotation of the strip about its own center line from end to end, which stretches it.")
INTS(prc_ribbon_def, cells, 2, V2(120, 4), 1, 1000000, "Cells along and across.")
END(ribbon)

TABLE(lattice, sizeof(prc_lattice_def), prc_lattice_def, PRC_NO_MARK,
      "Points centred at the origin, without triangles; point (i, j, k) is vertex i + nx (j + ny k).")
INTS(prc_lattice_def, count, 3, V3(10, 10, 10), 1, 1000000, "Points along x, y, z.")
REAL(prc_lattice_def, spacing, 0, AT_LEAST(0), "m",
     "Distance of neighbours; 0, for particles only, takes a distance just beyond the range of contact: 2.13 radii if contact.d_hat is 0.")
ENUM(prc_lattice_def, pattern, lattice_names, PRC_LATTICE_CUBIC,
     "cubic, or hexagonal: close packed, in layers across y.")
REAL(prc_lattice_def, jitter, 0, BETWEEN(0, 0.45), "",
     "Largest random displacement as a fraction of the spacing; distances are at least 1 - 2 jitter times the spacing.")
INT(prc_lattice_def, seed, 1, 0, 2147483647, false, "Seed of the jitter: the same seed gives the same points on every machine.")
END(lattice)

TABLE(packing, sizeof(prc_packing_def), prc_packing_def, PRC_NO_MARK,
      "Random points in a shape centred at the origin, at least the spacing apart, without triangles. The points are inside "
      "the shape; balls around them extend beyond it by their radius.")
ENUM(prc_packing_def, shape, packing_names, PRC_PACKING_BOX, "Shape; the axis of a cylinder is y.")
VECTOR(prc_packing_def, size, 3, V3(0.1, 0.1, 0.1), ABOVE(0), "m", "box: lengths along x, y, z.")
REAL(prc_packing_def, radius, 0.05, ABOVE(0), "m", "sphere, cylinder: radius.")
REAL(prc_packing_def, length, 0.1, ABOVE(0), "m", "cylinder: length along y.")
INT(prc_packing_def, count, 0, 0, PRC_MOST_READ_VERTICES, false,
    "Number of points; 0 adds random points until there is no room, which fills about 38 % of the volume with balls whose "
    "diameter is the spacing.")
REAL(prc_packing_def, spacing, 0, AT_LEAST(0), "m",
     "Smallest distance of two points; 0, for particles only, takes a distance just beyond the range of contact: 2.13 radii if contact.d_hat is 0.")
INT(prc_packing_def, seed, 1, 0, 2147483647, false, "The same seed gives the same points on every machine.")
END(packing)

TABLE(place, PRC_SCENE_ONLY, prc_place_spec, offsetof(prc_place_spec, mark),
      "Rotation about the origin, then scaling, then translation.")
VECTOR(prc_place_spec, translate, 3, V3(0, 0, 0), ANY, "m", "Translation of the mesh.")
SUBTABLE(prc_place_spec, rotate, offsetof(prc_place_spec, rotate), rotate, false,
         "Rotation of the mesh about an axis through the origin.")
REAL(prc_place_spec, scale, 1, ABOVE(0), "", "Scale factor of the mesh and its rest shape.")
END(place)

TABLE(rotate, sizeof(prc_rotate_def), prc_rotate_def, PRC_NO_MARK, "A rotation.")
VECTOR(prc_rotate_def, axis, 3, V3(0, 1, 0), ANY, "", "Axis; its length does not matter, but it must not be zero.")
REAL(prc_rotate_def, degrees, 0, ANY, "degrees", "Angle, by the right-hand rule.")
END(rotate)

TABLE(spin, PRC_SCENE_ONLY, prc_spin_spec, offsetof(prc_spin_spec, mark), "An initial rotation, added to the velocity.")
VECTOR(prc_spin_spec, axis, 3, V3(0, 1, 0), ANY, "", "Axis; its length does not matter, but it must not be zero.")
REAL(prc_spin_spec, degrees_per_second, 0, ANY, "degrees/s", "Angular speed, by the right-hand rule.")
VECTOR(prc_spin_spec, center, 3, V3(0, 0, 0), ANY, "m", "A point on the axis.")
END(spin)

TABLE(material, sizeof(prc_material_def), prc_material_def, PRC_NO_MARK, "Material of a membrane.")
ENUM(prc_material_def, model, model_names, PRC_MODEL_A3, "Membrane energy as a function of the principal stretches.")
REAL(prc_material_def, stretch, 500, AT_LEAST(0), "N/m",
     "Modulus of the model; 0 computes it from young and thickness.")
REAL(prc_material_def, young, 0, AT_LEAST(0), "Pa", "Young's modulus; used if stretch is 0 or bending is negative.")
REAL(prc_material_def, thickness, 0, AT_LEAST(0), "m", "Thickness; used with young.")
REAL(prc_material_def, poisson, 0.3, INSIDE(-1, 1), "",
     "Poisson's ratio: in bending, and in the plane for models that have it.")
REAL(prc_material_def, density, 0.2, ABOVE(0), "kg/m²", "Mass per area.")
REAL(prc_material_def, bending, 1e-5, ANY, "N·m",
     "Bending stiffness; negative computes it from young, thickness and poisson.")
ARRAY(prc_material_def, terms, term_count, PRC_MATERIAL_TERMS, term, "sum: the energies to add.")
REALS(prc_material_def, coefficients, coefficient_count, PRC_MATERIAL_TERMS, ANY, "N/m",
      "mooney_rivlin, yeoh, ogden: coefficients.")
REALS(prc_material_def, exponents, exponent_count, PRC_MATERIAL_TERMS, ANY, "",
      "ogden: exponents, one per coefficient; fung: one exponent.")
REAL(prc_material_def, stretch_warp, 500, ABOVE(0), "N/m", "orthotropic: modulus along warp.")
REAL(prc_material_def, stretch_weft, 500, ABOVE(0), "N/m", "orthotropic: modulus along weft, perpendicular to warp.")
REAL(prc_material_def, shear, 200, ABOVE(0), "N/m", "orthotropic: shear modulus.")
VECTOR(prc_material_def, warp, 3, V3(1, 0, 0), ANY, "",
       "orthotropic: warp direction in the rest shape, projected onto the surface.")
PAIRS(prc_material_def, curve, curve_count, PRC_CURVE_POINTS, "N/m",
      "curve: pairs [stretch, nominal stress], increasing in both, with a point at [1, 0].")
REAL(prc_material_def, damping, 0, AT_LEAST(0), "s", "Stiffness-proportional damping: resists the rate of stretching.")
REAL(prc_material_def, mass_damping, 0, AT_LEAST(0), "1/s", "Mass-proportional damping: resists all motion.")
REAL(prc_material_def, stabilisation, 0.05, AT_LEAST(0), "",
     "Resistance to non-affine motion of a vertex ring, as a fraction of the modulus.")
END(material)

TABLE(term, sizeof(prc_material_term), prc_material_term, PRC_NO_MARK, "One energy of a sum.")
ENUM(prc_material_term, model, term_names, PRC_MODEL_A3, "Model of this energy.")
REAL(prc_material_term, stretch, 500, ABOVE(0), "N/m", "Modulus of this energy.")
END(term)

TABLE(group, PRC_SCENE_ONLY, prc_group_spec, PRC_NO_MARK, "A material for a group of vertices.")
SUBTABLE(prc_group_spec, select, offsetof(prc_group_spec, select), select, true, "The vertices.")
SUBTABLE(prc_group_spec, material, offsetof(prc_group_spec, material), material, true,
         "Keys that differ from the body's material.")
END(group)

TABLE(pin, sizeof(prc_pin_def), prc_pin_spec, PRC_NO_MARK, "Vertices with prescribed motion.")
SUBTABLE(prc_pin_spec, select, offsetof(prc_pin_spec, select), select, true, "The vertices.")
VARIANT(prc_pin_spec, motion, motion_names, 0, offsetof(prc_pin_def, motion), path,
        "Motion of the vertices; fixed holds them where they are.")
SUBTABLE(prc_pin_spec, follow, offsetof(prc_pin_spec, follow), follow, false,
         "Animation that the vertices follow; motion is added to it.")
REAL(prc_pin_def, from, 0, ANY, "s", "Time at which the pin takes hold.")
REAL(prc_pin_def, until, 1e300, UNTIL, "s", "Time at which the pin lets go.")
END(pin)

TABLE(follow, PRC_SCENE_ONLY, prc_follow_spec, offsetof(prc_follow_spec, mark),
      "Each pinned vertex follows one vertex of an animation: it moves by the displacement of that vertex since the "
      "pin took hold. Its offset from that vertex stays the same and does not rotate. Linear interpolation between "
      "frames, constant before the first and after the last.")
PATH(prc_follow_spec, file, "A PC2 or MDD file, relative to the scene file.")
PATH(prc_follow_spec, pattern, "Numbered mesh files, starting at 0 or 1: kick_%04d.obj; relative to the scene file.")
TEXT(prc_follow_spec, memory,
     "Name of a motion that the program reading the scene provides: a function in Python. No other key may be given "
     "with it.")
REAL(prc_follow_spec, frames_per_second, 25, ABOVE(0), "1/s", "Frame rate of the animation.")
REAL(prc_follow_spec, start, 0, ANY, "s", "Time of the first frame.")
SUBTABLE(prc_follow_spec, place, offsetof(prc_follow_spec, place), place, false, "Placement of the frames.")
ENUM(prc_follow_spec, by, follow_names, PRC_FOLLOW_NUMBER,
     "Which vertex to follow: number, the one with the same number; nearest, the nearest one when the pin takes hold.")
INT_LIST(prc_follow_spec, vertices, vertex_count, 0, 2147483647,
         "In place of by: numbers of animation vertices, one for each pinned vertex in the order of their numbers, or "
         "one for all of them.")
END(follow)

TABLE(force, sizeof(prc_force_def), prc_force_spec, PRC_NO_MARK, "A force on a group of vertices, distributed by area.")
SUBTABLE(prc_force_spec, select, offsetof(prc_force_spec, select), select, false,
         "The vertices; the whole body if absent.")
VECTOR(prc_force_def, force, 3, V3(0, 0, 0), ANY, "N", "Total force; its direction does not follow the surface.")
REAL(prc_force_def, from, 0, ANY, "s", "Time at which the force begins.")
REAL(prc_force_def, until, 1e300, UNTIL, "s", "Time at which the force ends.")
END(force)

TABLE(pressure, sizeof(prc_pressure_def), prc_pressure_spec, offsetof(prc_pressure_spec, mark),
      "Pressure inside a closed surface whose triangles face outwards.")
ENUM(prc_pressure_def, kind, pressure_names, PRC_PRESSURE_CONSTANT,
     "constant, or gas: a fixed amount of gas, whose pressure at volume V is (outside + over) (volume / V)^exponent - "
     "outside.")
REAL(prc_pressure_def, over, 0, ANY, "Pa", "Pressure inside minus outside; positive pushes outwards. gas: at `volume`.")
REAL(prc_pressure_def, volume, 0, AT_LEAST(0), "m³",
     "gas: volume at which the pressure difference is `over`; 0 takes the volume at time 0.")
REAL(prc_pressure_def, outside, 101325, ABOVE(0), "Pa", "gas: pressure outside.")
REAL(prc_pressure_def, exponent, 1, AT_LEAST(1), "",
     "gas: 1 at constant temperature, 1.4 for air without heat exchange.")
REAL(prc_pressure_def, ramp, 0, AT_LEAST(0), "s",
     "Time over which the pressure builds up; a gas begins with the amount that has the pressure outside at the volume "
     "of time 0.")
REAL(prc_pressure_def, from, 0, ANY, "s", "Time at which the pressure begins.")
REAL(prc_pressure_def, until, 1e300, UNTIL, "s", "Time at which the pressure ends.")
BODY_LIST(prc_pressure_spec, with, with_count,
          "Other bodies, sewn to this one, that enclose the volume together with it.")
END(pressure)

TABLE(spring, sizeof(prc_spring_def), prc_spring_spec, offsetof(prc_spring_spec, mark),
      "A spring along the line between two points, or one for each vertex that tie selects.")
SUBTABLE(prc_spring_spec, tie, offsetof(prc_spring_spec, tie), end, true, "First end.")
SUBTABLE(prc_spring_spec, to, offsetof(prc_spring_spec, to), end, true,
         "Second end. One point serves all of tie; lists of vertices are joined in order; if it selects vertices, each "
         "vertex of tie is joined to the nearest of them at time 0.")
REAL(prc_spring_def, stiffness, 100, AT_LEAST(0), "N/m",
     "Tension per elongation; 0 takes the stretching stiffness of the cloth at its ends.")
REAL(prc_spring_def, length, -1, ANY, "m", "Rest length; negative takes the distance at time 0.")
REAL(prc_spring_def, damping, 0, AT_LEAST(0), "N·s/m", "Damping force per rate of change of the length.")
BOOL(prc_spring_def, rope, false, "Pulls only: slack where its ends are closer than its length.")
REAL(prc_spring_def, close_time, 0, AT_LEAST(0), "s",
     "Time over which its rest length changes smoothly from the distance at time 0 to `length`.")
REAL(prc_spring_def, from, 0, ANY, "s", "Time at which it begins to act.")
REAL(prc_spring_def, until, 1e300, UNTIL, "s", "Time at which it stops acting.")
END(spring)

TABLE(seam, sizeof(prc_spring_def), prc_seam_spec, offsetof(prc_seam_spec, mark),
      "Stitches that close in a given time and then hold. Give either stitches, or tie and to.")
BODY(prc_seam_spec, stitches, "A body whose mesh file has stitches; all of them are used.")
SUBTABLE(prc_seam_spec, tie, offsetof(prc_seam_spec, tie), end, false, "First edge.")
SUBTABLE(prc_seam_spec, to, offsetof(prc_seam_spec, to), end, false,
         "Second edge. Lists of vertices are joined in order; selected vertices are each joined to the nearest one of "
         "the other edge at time 0, both ways.")
REAL(prc_spring_def, stiffness, 0, AT_LEAST(0), "N/m",
     "Stiffness of a stitch; 0 takes the stretching stiffness of the cloth at its ends.")
REAL(prc_spring_def, length, -1, ANY, "m",
     "Final distance between the edges; negative takes the smallest at which contact does not push, 0 without "
     "contact.")
REAL(prc_spring_def, damping, 0, AT_LEAST(0), "N·s/m", "Damping force per rate of change of the length.")
REAL(prc_spring_def, close_time, 0.5, AT_LEAST(0), "s",
     "Time over which the distance shrinks from that at time 0 to `length`.")
REAL(prc_spring_def, from, 0, ANY, "s", "Time at which it begins to close.")
REAL(prc_spring_def, until, 1e300, UNTIL, "s", "Time at which it comes open.")
END(seam)

TABLE(end, PRC_SCENE_ONLY, prc_end_spec, offsetof(prc_end_spec, mark),
      "Points of a body or obstacle, or a fixed point: exactly one of vertex, edge, vertices, select, point.")
BODY(prc_end_spec, body, "The body or obstacle; may be left out if the scene has one body.")
INT(prc_end_spec, vertex, 0, 0, 2147483647, false, "Number of a vertex.")
INTS(prc_end_spec, edge, 2, V2(0, 0), 0, 2147483647, "Numbers of two vertices; the point is between them, at `at`.")
REAL(prc_end_spec, at, 0.5, BETWEEN(0, 1), "", "edge: position of the point, 0 at the first vertex, 1 at the second.")
INT_LIST(prc_end_spec, vertices, vertex_count, 0, 2147483647,
         "Numbers of vertices, in the order in which they are joined.")
SUBTABLE(prc_end_spec, select, offsetof(prc_end_spec, select), select, false, "A selection of vertices.")
VECTOR(prc_end_spec, point, 3, V3(0, 0, 0), ANY, "m", "A fixed point.")
END(end)

TABLE(select, PRC_SCENE_ONLY, prc_select_spec, offsetof(prc_select_spec, mark),
      "The vertices that meet all given conditions at time 0.")
BOOL(prc_select_spec, all, false, "All vertices; `select: all` means the same.")
INT_LIST(prc_select_spec, corners, corner_count, 0, 3,
         "Corners of a grid or strip: 0 (-x,-y), 1 (+x,-y), 2 (+x,+y), 3 (-x,+y).")
INT_LIST(prc_select_spec, vertices, vertex_count, 0, 2147483647, "Vertex numbers, from 0.")
INTS(prc_select_spec, range, 2, V2(0, 0), 0, 2147483647, "Number of the first vertex, and count of vertices.")
BOOL(prc_select_spec, boundary, false, "Vertices on the boundary of the mesh.")
INT_LIST(prc_select_spec, loops, loop_count, 0, 2147483647,
         "Boundary loops by number: 0 is the longest; of equally long loops, the one with the smallest vertex number "
         "comes first.")
VECTOR(prc_select_spec, loop_nearest, 3, V3(0, 0, 0), ANY, "m", "The boundary loop nearest to this point.")
SUBTABLE(prc_select_spec, box, offsetof(prc_select_spec, box), box, false, "Vertices inside a box.")
SUBTABLE(prc_select_spec, sphere, offsetof(prc_select_spec, sphere), ball, false, "Vertices inside a sphere.")
SUBTABLE(prc_select_spec, side, offsetof(prc_select_spec, side), side, false, "Vertices on one side of a plane.")
VECTOR(prc_select_spec, nearest, 3, V3(0, 0, 0), ANY, "m", "The vertex nearest to this point; see count.")
INT(prc_select_spec, count, 1, 1, 2147483647, false, "With nearest: how many vertices.")
TEXT(prc_select_spec, group,
     "A group, object or material of an OBJ file, a node or material of a glTF file, or a physical group of an MSH "
     "file, by name.")
SUBTABLE(prc_select_spec, property, offsetof(prc_select_spec, property), property, false,
         "Vertices by the value of a vertex property, for example of a PLY file.")
SUBTABLE(prc_select_spec, map, offsetof(prc_select_spec, map), map, false,
         "Vertices by the value of an image at their texture coordinates.")
LIST_OR_ONE(prc_select_spec, any, any_count, select, "Vertices in at least one of these selections.")
LIST_OR_ONE(prc_select_spec, every, every_count, select, "Vertices in all of these selections.")
LIST_OR_ONE(prc_select_spec, except, except_count, select, "Vertices in none of these selections.")
END(select)

TABLE(ball, PRC_SCENE_ONLY, prc_ball_spec, PRC_NO_MARK, "A sphere, its surface included.")
VECTOR(prc_ball_spec, center, 3, V3(0, 0, 0), ANY, "m", "Center.")
REAL(prc_ball_spec, radius, 0.1, AT_LEAST(0), "m", "Radius.")
END(ball)

TABLE(side, PRC_SCENE_ONLY, prc_side_spec, PRC_NO_MARK, "A half-space, its boundary plane included.")
VECTOR(prc_side_spec, point, 3, V3(0, 0, 0), ANY, "m", "A point on the plane.")
VECTOR(prc_side_spec, normal, 3, V3(0, 1, 0), ANY, "",
       "Normal of the plane, pointing into the half-space; must not be zero.")
END(side)

TABLE(property, PRC_SCENE_ONLY, prc_property_spec, offsetof(prc_property_spec, mark),
      "A vertex property and limits of its value: above, below, or both.")
TEXT(prc_property_spec, name, "Name of the property in the file; required.")
REAL(prc_property_spec, above, -1e300, BOUND, "", "The value must be larger than this.")
REAL(prc_property_spec, below, 1e300, BOUND, "", "The value must be smaller than this.")
END(property)

TABLE(map, PRC_SCENE_ONLY, prc_map_spec, offsetof(prc_map_spec, mark),
      "An image over the texture coordinates: u to the right, v upwards, bilinear between the centers of pixels, "
      "constant beyond the border. A flat mesh in the x–y plane without texture coordinates has (0, 0) at its lower "
      "left and (1, 1) at its upper right corner before it is placed.")
PATH(prc_map_spec, file, "A PNG file, relative to the scene file; required.")
ENUM(prc_map_spec, channel, channel_names, PRC_CHANNEL_GRAY,
     "Channel of the image, with values from 0 to 1; gray is the mean of red, green and blue.")
REAL(prc_map_spec, above, 0.5, BOUND, "", "The value must be larger than this.")
REAL(prc_map_spec, below, 1e300, BOUND, "", "The value must be smaller than this.")
VECTOR(prc_map_spec, from, 2, V2(0, 0), ANY, "", "Texture coordinates of the lower left corner of the image.")
VECTOR(prc_map_spec, to, 2, V2(1, 1), ANY, "", "Texture coordinates of the upper right corner of the image.")
END(map)

TABLE(box, PRC_SCENE_ONLY, prc_box_spec, PRC_NO_MARK, "A box along the coordinate axes, its faces included.")
VECTOR(prc_box_spec, min, 3, V3(-1e300, -1e300, -1e300), BOUND, "m", "Lower corner.")
VECTOR(prc_box_spec, max, 3, V3(1e300, 1e300, 1e300), BOUND, "m", "Upper corner.")
END(box)

#undef TABLE
#undef END
#undef REAL
#undef VECTOR
#undef INT
#undef INTS
#undef BODIES
#undef BODY
#undef BODY_LIST
#undef BOOL
#undef ENUM
#undef NAMES
#undef TEXT
#undef PATH
#undef REALS
#undef PAIRS
#undef INT_LIST
#undef POINTS
#undef LINES
#undef VARIABLES
#undef INCLUDE
#undef SUBTABLE
#undef ARRAY
#undef LIST
#undef LIST_OR_FILE
#undef LIST_OR_ONE
#undef VARIANT
