#include <sqlite3.h>

/* Swift cannot call a variadic function: the settings the store needs, typed. */
static inline int odograph_sqlite_log_to(void (*callback)(void *, int, const char *), void *context) {
    return sqlite3_config(SQLITE_CONFIG_LOG, callback, context);
}

/* SQLITE_TRANSIENT is a cast that Swift cannot import; and a null pointer would bind NULL where an empty blob is meant. */
static inline int odograph_sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int odograph_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

static inline int odograph_sqlite_checkpoint_on_close(sqlite3 *database, int is_on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !is_on, (int *)0);
}
