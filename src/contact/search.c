/* contact/search.c — the search for pairs, for every machine. See search.inl.
 * SPDX-License-Identifier: Apache-2.0 */
#define PRC_SEARCH_NAME prc_search_chunk_baseline
#include "contact/search.inl"
