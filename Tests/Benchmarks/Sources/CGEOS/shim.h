#pragma once
#include <geos_c.h>
#include <malloc.h>

/* Bytes that the allocator has given out. */
static inline double odograph_allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

/* GEOS' message handlers are variadic, which Swift cannot write; benchmarks need no messages. */
static inline GEOSContextHandle_t odograph_geos_init(void) { return GEOS_init_r(); }

struct odograph_geos_search {
    GEOSContextHandle_t context;
    const GEOSGeometry *point;
    const GEOSPreparedGeometry *const *prepared;
    long found;
};

/* The tree's items are positions, one more so that none is null. */
static inline void odograph_geos_visit(void *item, void *data) {
    struct odograph_geos_search *search = (struct odograph_geos_search *)data;
    if (GEOSPreparedIntersects_r(search->context, search->prepared[(long)item - 1], search->point)) search->found++;
}

static inline long odograph_geos_count(GEOSContextHandle_t context, GEOSSTRtree *tree,
                                       const GEOSPreparedGeometry *const *prepared, double x, double y) {
    GEOSGeometry *point = GEOSGeom_createPointFromXY_r(context, x, y);
    struct odograph_geos_search search = {context, point, prepared, 0};
    GEOSSTRtree_query_r(context, tree, point, odograph_geos_visit, &search);
    GEOSGeom_destroy_r(context, point);
    return search.found;
}
