/* app/draw/font.c — glyphs, rendered by FreeType into a texture when first used.
 *
 * One font, any size in whole pixels. If the font or FreeType is missing, pictures have no text, but are drawn all the
 * same. Leaves out ligatures and writing from right to left.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "parts.h"

#ifdef PRC_HAVE_FREETYPE

#include <ft2build.h>
#include FT_FREETYPE_H

struct prc_font {
    FT_Library library;
    FT_Face face;
    int x, y, row;                /* where the next letter goes in the atlas, and the height of this row */
    prc_glyph glyphs[PRC_GLYPHS]; /* a hash table with open addresses */
    int count;
};

static const char *const usual[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                    "/usr/share/fonts/dejavu/DejaVuSans.ttf",
                                    "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
                                    "/usr/share/fonts/liberation-sans/LiberationSans-Regular.ttf",
                                    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
                                    "/usr/local/share/fonts/DejaVuSans.ttf"};

static bool open_face(prc_font *font, const char *path)
{
    return path && FT_New_Face(font->library, path, 0, &font->face) == 0;
}

static bool open_usual(prc_font *font)
{
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
        if (open_face(font, usual[k]))
            return true;
    return false;
}

prc_font *prc_font_open(const char *path, char why[300])
{
    const char *named = path ? path : getenv("PERCALE_FONT");
    prc_font *font = PRC_NEW(prc_font, 1);
    if (!font || FT_Init_FreeType(&font->library)) {
        prc_free(font);
        snprintf(why, 300, "no text: FreeType cannot be initialized");
        return NULL;
    }
    const bool own = named && named[0];
    if (own ? open_face(font, named) : open_usual(font))
        return font;
    if (own)
        snprintf(why, 300, "no text: %.200s is not a readable font%s", named, path ? "" : " (PERCALE_FONT)");
    else
        snprintf(why, 300,
                 "no text: no font was found; install one (on Debian: apt-get install fonts-dejavu-core) or name a "
                 ".ttf file in PERCALE_FONT");
    FT_Done_FreeType(font->library);
    prc_free(font);
    return NULL;
}

void prc_font_close(prc_font *font)
{
    if (!font)
        return;
    FT_Done_Face(font->face);
    FT_Done_FreeType(font->library);
    prc_free(font);
}

/* The place of a letter: where it is, or where it would go; NULL when all are taken. */
static prc_glyph *find(prc_font *font, unsigned letter, int size)
{
    const unsigned start = letter * 2654435761u + (unsigned)size * 40503u;
    for (unsigned k = 0; k < PRC_GLYPHS; k++) {
        prc_glyph *g = &font->glyphs[(start + k) % PRC_GLYPHS];
        if (!g->size || (g->letter == letter && g->size == size))
            return g;
    }
    return NULL;
}

/* Rows are filled from left to right, each as high as its highest letter. */
static bool place(prc_font *font, int width, int rows, prc_glyph *g)
{
    if (font->x + width + 1 > PRC_ATLAS_SIZE) {
        font->y += font->row + 1;
        font->x = font->row = 0;
    }
    if (width + 1 > PRC_ATLAS_SIZE || font->y + rows + 1 > PRC_ATLAS_SIZE)
        return false;
    g->x = (short)font->x;
    g->y = (short)font->y;
    font->x += width + 1;
    font->row = rows > font->row ? rows : font->row;
    return true;
}

const prc_glyph *prc_font_glyph(prc_font *font, GLuint atlas, unsigned letter, int size)
{
    prc_glyph *g = font ? find(font, letter, size) : NULL;
    if (!g || g->size)
        return g;
    if (FT_Set_Pixel_Sizes(font->face, 0, (FT_UInt)size) || FT_Load_Char(font->face, letter, FT_LOAD_RENDER))
        return NULL;
    const struct FT_GlyphSlotRec_ *slot = font->face->glyph;
    const FT_Bitmap *bitmap = &slot->bitmap;
    if (!place(font, (int)bitmap->width, (int)bitmap->rows, g))
        return NULL;
    g->letter = letter;
    g->size = size;
    g->width = (short)bitmap->width;
    g->rows = (short)bitmap->rows;
    g->left = (short)slot->bitmap_left;
    g->top = (short)slot->bitmap_top;
    g->advance = (float)slot->advance.x / 64;
    if (bitmap->width && bitmap->rows) {
        glBindTexture(GL_TEXTURE_2D, atlas);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, bitmap->pitch);
        glTexSubImage2D(GL_TEXTURE_2D, 0, g->x, g->y, g->width, g->rows, GL_RED, GL_UNSIGNED_BYTE, bitmap->buffer);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    }
    return g;
}

#else

prc_font *prc_font_open(const char *path, char why[300])
{
    (void)path;
    snprintf(why, 300,
             "no text: this percale was built without FreeType (on Debian: apt-get install libfreetype-dev, and build "
             "again)");
    return NULL;
}

void prc_font_close(prc_font *font)
{
    (void)font;
}

const prc_glyph *prc_font_glyph(prc_font *font, GLuint atlas, unsigned letter, int size)
{
    (void)font;
    (void)atlas;
    (void)letter;
    (void)size;
    return NULL;
}

#endif
