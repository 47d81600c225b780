#pragma once
#include <expat.h>

// expat 2.9 deprecates the functions that return a place, and has others with 64 bits. Debian 12 has 2.5.
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
#define ODOGRAPH_PLACE(name) name##64
#else
#define ODOGRAPH_PLACE(name) name
#endif

static inline long long odograph_expat_line(XML_Parser parser) {
    return (long long)ODOGRAPH_PLACE(XML_GetCurrentLineNumber)(parser);
}

static inline long long odograph_expat_column(XML_Parser parser) {
    return (long long)ODOGRAPH_PLACE(XML_GetCurrentColumnNumber)(parser);
}

static inline long long odograph_expat_byte_index(XML_Parser parser) {
    return (long long)ODOGRAPH_PLACE(XML_GetCurrentByteIndex)(parser);
}
