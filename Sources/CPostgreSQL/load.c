#include <dlfcn.h>

#include "COdographPostgreSQL.h"

int odograph_pq_load(struct odograph_pq *functions) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    // POSIX requires that a pointer to a function fits into a pointer to an object.
#define FUNCTION(result, name, parameters) \
    *(void **)&functions->name = dlsym(library, #name); \
    if (!functions->name) return 0;
    ODOGRAPH_PQ_FUNCTIONS(FUNCTION)
#undef FUNCTION
    return 1;
}
