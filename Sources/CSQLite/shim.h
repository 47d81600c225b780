#include <sqlite3.h>

/* Swift cannot call a variadic function: the settings the store needs, typed. */
static inline int odograph_sqlite_log_to(void (*callback)(void *, int, const char *), void *context) {
    return sqlite3_config(SQLITE_CONFIG_LOG, callback, context);
}
