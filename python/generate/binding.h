/* python/generate/binding.h — all that Python calls: the public interface, the scene reader and a little besides.
 *
 * make_binding.py runs this through the preprocessor and gives the result to cffi, so that no struct is written twice.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include "check/check.h"
#include "io/clip.h"
#include "scene/scene.h"
