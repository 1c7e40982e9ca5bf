/* torture/shrink.h — a failing scene, made as small as it still fails in the same way.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TORTURE_SHRINK_H
#define PRC_TORTURE_SHRINK_H

#include "document.h"
#include "run.h"

/* Takes the scene, and returns a smaller one that fails with the same verdict, after at most so many seconds by the
 * clock. *tries: runs that it took. */
node *shrink(node *scene, verdict what, const limits *l, double seconds, int *tries);

#endif
