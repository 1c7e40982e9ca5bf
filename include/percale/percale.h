/* percale/percale.h — the whole public interface.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_PERCALE_H
#define PERCALE_PERCALE_H

#include <percale/base.h>
#include <percale/ccd.h>
#include <percale/contact.h>
#include <percale/live.h>
#include <percale/material.h>
#include <percale/mesh.h>
#include <percale/motion.h>
#include <percale/sdf.h>
#include <percale/sim.h>

#endif
