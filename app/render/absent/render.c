/* app/render/absent/render.c — `percale render` of a percale that was built without OpenGL: says what is missing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

int prc_cli_render(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fprintf(stderr,
            "percale: render: this percale was built without libepoxy, which is needed for pictures; install it (on "
            "Debian: apt-get install libepoxy-dev libegl1 libgl1-mesa-dri libfreetype-dev) and build again\n");
    return PRC_EXIT_INPUT;
}
