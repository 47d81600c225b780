// The least that drains an outbox safely: libmosquitto and SQLite, in one thread. What the agent is measured beside.
//
//     DrainInC DATABASE PORT WINDOW BATCH TOPIC
//     DrainInC fill DATABASE FILE      makes the outbox: a row for each line
//
// Rows go to the broker at QoS 1, at most WINDOW of them (or the broker's Receive Maximum) unacknowledged; those that
// are acknowledged are deleted BATCH at a time, each batch in a transaction that is on the disk (synchronous=FULL, a
// write-ahead log) before the next. TCP_QUICKACK is set before each poll: without it a broker that leaves Nagle's
// algorithm on stalls for 40 ms at a time.
#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

static sqlite3 *database;
static sqlite3_stmt *read_rows, *delete_rows;
static int window, batch, outstanding, is_connected;
static long acknowledged, sent;
static sqlite3_int64 in_flight[65536];  // by packet identifier
static sqlite3_int64 *waiting;          // acknowledged and not deleted yet
static int waiting_count;
// From a message's hand-over to its acknowledgement, seconds; and the longest time between two acknowledgements.
static double handed[65536], *latencies, last_acknowledged, longest_gap;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void execute(const char *sql) {
    char *error = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &error) != SQLITE_OK) fail(sql, error);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) fail(sql, sqlite3_errmsg(database));
    return statement;
}

static void delete_acknowledged(void) {
    if (waiting_count == 0) return;
    execute("BEGIN IMMEDIATE");
    for (int i = 0; i < waiting_count; i++) {
        sqlite3_bind_int64(delete_rows, 1, waiting[i]);
        if (sqlite3_step(delete_rows) != SQLITE_DONE) fail("delete", sqlite3_errmsg(database));
        sqlite3_reset(delete_rows);
    }
    execute("COMMIT");
    waiting_count = 0;
}

static void on_connect(struct mosquitto *client, void *context, int reason, int flags, const mosquitto_property *list) {
    if (reason != 0) fail("connect", mosquitto_reason_string(reason));
    uint16_t maximum = 65535;
    mosquitto_property_read_int16(list, MQTT_PROP_RECEIVE_MAXIMUM, &maximum, false);
    if (maximum < window) window = maximum;
    is_connected = 1;
}

static void on_publish(struct mosquitto *client, void *context, int identifier, int reason, const mosquitto_property *list) {
    double time = now();
    latencies[acknowledged] = time - handed[identifier];
    if (acknowledged > 0 && time - last_acknowledged > longest_gap) longest_gap = time - last_acknowledged;
    last_acknowledged = time;
    waiting[waiting_count++] = in_flight[identifier];
    outstanding--;
    acknowledged++;
}

// Hands over rows while the window has room. Answers whether there may be more.
static bool feed(struct mosquitto *client, const char *topic) {
    static sqlite3_int64 last;
    static int rows_of_read = -1;
    while (outstanding < window) {
        // A thousand rows a read: a statement that stays open would keep the log from being copied into the file.
        if (rows_of_read < 0) sqlite3_bind_int64(read_rows, 1, last);
        if (sqlite3_step(read_rows) != SQLITE_ROW) {
            sqlite3_reset(read_rows);
            if (rows_of_read <= 0) return false;
            rows_of_read = -1;
            continue;
        }
        rows_of_read = rows_of_read < 0 ? 1 : rows_of_read + 1;
        last = sqlite3_column_int64(read_rows, 0);
        int identifier;
        int code = mosquitto_publish_v5(client, &identifier, topic, sqlite3_column_bytes(read_rows, 1),
                                        sqlite3_column_blob(read_rows, 1), 1, false, NULL);
        if (code != MOSQ_ERR_SUCCESS) fail("publish", mosquitto_strerror(code));
        in_flight[identifier] = sqlite3_column_int64(read_rows, 0);
        handed[identifier] = now();
        outstanding++;
        sent++;
    }
    return true;
}

static void turn(struct mosquitto *client) {
    int descriptor = mosquitto_socket(client), one = 1;
    if (descriptor < 0) fail("connection", "lost");
    setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
    struct pollfd interest = {descriptor, POLLIN | (mosquitto_want_write(client) ? POLLOUT : 0), 0};
    if (poll(&interest, 1, 1000) < 0 && errno != EINTR) fail("poll", strerror(errno));
    int code = 0;
    if (interest.revents & POLLIN) code = mosquitto_loop_read(client, 1);
    if (code == 0 && (interest.revents & POLLOUT)) code = mosquitto_loop_write(client, 1);
    if (code == 0) code = mosquitto_loop_misc(client);
    if (code != 0) fail("loop", mosquitto_strerror(code));
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void fill(const char *path, const char *source) {
    if (sqlite3_open(path, &database) != SQLITE_OK) fail(path, sqlite3_errmsg(database));
    execute("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN;"
            "CREATE TABLE outbox (seq INTEGER PRIMARY KEY, payload BLOB)");
    sqlite3_stmt *insert = prepare("INSERT INTO outbox (payload) VALUES (?1)");
    FILE *file = fopen(source, "r");
    if (!file) fail(source, strerror(errno));
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, file)) > 0) {
        sqlite3_bind_blob(insert, 1, line, (int)length - 1, SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE) fail("insert", sqlite3_errmsg(database));
        sqlite3_reset(insert);
    }
    free(line);
    fclose(file);
    sqlite3_finalize(insert);
    execute("COMMIT");
    sqlite3_close(database);
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "fill") == 0) {
        fill(arguments[2], arguments[3]);
        return 0;
    }
    if (count != 6) fail("usage", "DrainInC DATABASE PORT WINDOW BATCH TOPIC");
    window = atoi(arguments[3]);
    batch = atoi(arguments[4]);
    waiting = calloc(batch + 65536, sizeof *waiting);
    if (sqlite3_open(arguments[1], &database) != SQLITE_OK) fail(arguments[1], sqlite3_errmsg(database));
    execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    sqlite3_stmt *counting = prepare("SELECT count(*) FROM outbox");
    sqlite3_step(counting);
    latencies = calloc(sqlite3_column_int64(counting, 0) + 1, sizeof *latencies);
    sqlite3_finalize(counting);
    read_rows = prepare("SELECT seq, payload FROM outbox WHERE seq > ?1 AND payload IS NOT NULL ORDER BY seq LIMIT 1000");
    delete_rows = prepare("DELETE FROM outbox WHERE seq = ?1");

    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("drain", true, NULL);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 65535);
    mosquitto_connect_v5_callback_set(client, on_connect);
    mosquitto_publish_v5_callback_set(client, on_publish);
    if (mosquitto_connect(client, "127.0.0.1", atoi(arguments[2]), 60) != 0) fail("connect", "refused");
    while (!is_connected) turn(client);

    double start = now(), before = processor_seconds();
    bool has_more = true;
    do {
        if (has_more) has_more = feed(client, arguments[5]);
        turn(client);
        if (waiting_count >= batch) delete_acknowledged();
    } while (has_more || outstanding > 0);
    delete_acknowledged();
    double seconds = now() - start;
    qsort(latencies, acknowledged, sizeof *latencies, ascending);
    printf("%ld %.6f %.6f %.6f %.6f %.6f %.6f\n", acknowledged, seconds, processor_seconds() - before,
           latencies[acknowledged / 2], latencies[acknowledged * 99 / 100], latencies[acknowledged - 1], longest_gap);
    sqlite3_finalize(read_rows);
    sqlite3_finalize(delete_rows);
    sqlite3_close(database);
    mosquitto_disconnect(client);
    return 0;
}
