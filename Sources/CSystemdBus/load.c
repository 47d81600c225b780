#include <dlfcn.h>

#include "COdographSystemdBus.h"

int odograph_sdbus_load(struct odograph_sdbus *functions) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    // POSIX requires that a pointer to a function fits into a pointer to an object.
#define FUNCTION(result, name, parameters) \
    *(void **)&functions->name = dlsym(library, #name); \
    if (!functions->name) return 0;
    ODOGRAPH_SDBUS_FUNCTIONS(FUNCTION)
#undef FUNCTION
    return 1;
}
