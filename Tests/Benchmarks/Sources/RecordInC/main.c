// The least that stores what vehicles publish: libmosquitto, and SQLite or libpq, in one thread. What the recorder is
// measured beside.
//
//     RecordInC sqlite FILE PORT CLIENT COUNT           stores COUNT messages of the session CLIENT, then ends
//     RecordInC postgresql ADDRESS PORT CLIENT COUNT
//     RecordInC none - PORT CLIENT COUNT                drops them: receiving alone
//
// With COUNT 0 it makes the session. Tables, keys, and the rule that the first record with a number stays are those of
// the recorder. A transaction has at most a thousand messages, and is on the disk when it ends. PostgreSQL gets them by
// COPY into a staging table, and merges them with a statement for each table. Payloads must be those of the benchmark:
// a member is found by its name.
#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <postgresql/libpq-fe.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

enum { batch_limit = 1000, text_limit = 128, vehicle_limit = 100000 };

// A number of a payload, as its text; the length is -1 if it is absent.
struct slice {
    const char *start;
    int length;
};

struct message {
    char *topic, *payload;
    int payload_length;
    char received[32];
    // From the topic.
    struct slice fleet, device, kind;
    long epoch, seq;
    sqlite3_int64 vehicle;
    bool is_new;
};

static sqlite3 *database;
static PGconn *server;
static struct message batch[batch_limit];
static int batch_count, is_connected, is_subscribed;
static long stored, wanted;
static double first_arrival;
static sqlite3_stmt *insert_vehicle, *find_vehicle, *touch_vehicle, *insert_record, *update_latest, *upsert_event,
    *extend_run[2], *insert_run[2];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

// MARK: Payloads

static struct slice member(const char *json, const char *quoted_name) {
    struct slice none = {NULL, -1};
    const char *place = json ? strstr(json, quoted_name) : NULL;
    if (!place) return none;
    place += strlen(quoted_name) + 1;
    if (*place == '"') {
        const char *end = strchr(place + 1, '"');
        return (struct slice){place + 1, (int)(end - place - 1)};
    }
    return (struct slice){place, (int)strcspn(place, ",}]")};
}

static bool is_true(struct slice value) { return value.length == 4; }

// The columns of `records` from `time` on.
struct columns {
    struct slice time, event, subject, latitude, longitude, accuracy, altitude, speed, heading, is_moving, odometer,
        driver;
};

static struct columns columns_of(const struct message *message) {
    struct columns c;
    const char *json = message->payload;
    struct slice none = {NULL, -1};
    if (message->kind.start[0] == 't') {
        const char *place = strstr(json, "\"location\"");
        c = (struct columns){
            member(json, "\"last_update_date\""), member(json, "\"type\""), member(json, "\"event_id\""),
            member(place, "\"latitude\""), member(place, "\"longitude\""), member(place, "\"accuracy\""),
            none, none, none, none, none, none};
        return c;
    }
    const char *coords = strstr(json, "\"coords\""), *fence = strstr(json, "\"geofence\":{");
    c = (struct columns){
        member(json, "\"timestamp\""), fence ? member(fence, "\"action\"") : member(json, "\"event\""),
        member(fence, "\"identifier\""), member(coords, "\"latitude\""), member(coords, "\"longitude\""),
        member(coords, "\"accuracy\""), member(coords, "\"altitude\""), member(coords, "\"speed\""),
        member(coords, "\"heading\""), member(json, "\"is_moving\""), member(json, "\"odometer\""),
        member(json, "\"driver\"")};
    if (c.speed.length > 0 && c.speed.start[0] == '-') c.speed = none;
    if (c.heading.length > 0 && c.heading.start[0] == '-') c.heading = none;
    return c;
}

static void read_topic(struct message *message) {
    struct slice parts[5] = {{NULL, 0}};
    const char *place = message->topic;
    for (int i = 0; i < 5 && place; i++) {
        const char *end = strchr(place, '/');
        parts[i] = (struct slice){place, end ? (int)(end - place) : (int)strlen(place)};
        place = end ? end + 1 : NULL;
    }
    message->fleet = parts[1];
    message->device = parts[2];
    message->kind = parts[3];
    message->epoch = atol(member(message->payload, "\"epoch\"").start);
    message->seq = atol(member(message->payload, "\"seq\"").start);
}

// MARK: Vehicles: their keys, by name

static struct {
    char name[text_limit];
    sqlite3_int64 key;
    // Of the batch: the numbers that are new, and the newest record of each kind.
    long epoch, first, last;
    int batch_of_run, newest[3], batch_of_newest;
} vehicles[2 * vehicle_limit];

static int vehicle_index(const struct message *message) {
    char name[text_limit];
    snprintf(name, sizeof name, "%.*s/%.*s", message->fleet.length, message->fleet.start, message->device.length,
             message->device.start);
    unsigned hash = 2166136261u;
    for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    int index = hash % (2 * vehicle_limit);
    while (vehicles[index].name[0] && strcmp(vehicles[index].name, name) != 0) index = (index + 1) % (2 * vehicle_limit);
    if (!vehicles[index].name[0]) strcpy(vehicles[index].name, name);
    return index;
}

// MARK: SQLite

static void execute(const char *sql) {
    char *error = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &error) != SQLITE_OK) fail(sql, error);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) fail(sql, sqlite3_errmsg(database));
    return statement;
}

static void bind_text(sqlite3_stmt *statement, int index, struct slice value) {
    if (value.length < 0) sqlite3_bind_null(statement, index);
    else sqlite3_bind_text(statement, index, value.start, value.length, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *statement, int index, struct slice value) {
    if (value.length < 0) sqlite3_bind_null(statement, index);
    else sqlite3_bind_double(statement, index, strtod(value.start, NULL));
}

// Runs a statement and returns the number of changed rows.
static int run(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail("step", sqlite3_errmsg(database));
    sqlite3_reset(statement);
    return sqlite3_changes(database);
}

static void open_sqlite(const char *path) {
    if (sqlite3_open(path, &database) != SQLITE_OK) fail(path, sqlite3_errmsg(database));
    execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF");
    insert_vehicle = prepare("INSERT INTO vehicles (fleet, device, first_seen, last_seen) VALUES (?1, ?2, ?3, ?3) "
                             "ON CONFLICT DO NOTHING");
    find_vehicle = prepare("SELECT id FROM vehicles WHERE fleet = ?1 AND device = ?2");
    touch_vehicle = prepare("UPDATE vehicles SET last_seen = ?2 WHERE id = ?1");
    insert_record = prepare(
        "INSERT INTO records (vehicle, epoch, seq, kind, received, payload, time, clock_untrusted, mock, event, subject,"
        " latitude, longitude, accuracy, altitude, speed, heading, is_moving, odometer, driver)"
        " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18"
        " WHERE coalesce((SELECT last FROM runs WHERE vehicle = ?1 AND epoch = ?2 AND first <= ?3"
        " ORDER BY first DESC LIMIT 1), 0) < ?3 ON CONFLICT DO NOTHING");
    update_latest = prepare(
        "INSERT INTO latest (vehicle, kind, epoch, seq, time) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (vehicle, kind)"
        " DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq, time = excluded.time"
        " WHERE (excluded.epoch, excluded.seq) > (latest.epoch, latest.seq)");
    upsert_event = prepare(
        "INSERT INTO timeline_events (vehicle, event_id, last_update_date, revision, epoch, seq, withdrawn,"
        " is_provisional, type, start_date, end_date, duration, transport_mode, distance)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (vehicle, event_id) DO UPDATE"
        " SET last_update_date = excluded.last_update_date, revision = excluded.revision, epoch = excluded.epoch,"
        " seq = excluded.seq, is_provisional = excluded.is_provisional, end_date = excluded.end_date,"
        " duration = excluded.duration, distance = excluded.distance"
        " WHERE (excluded.last_update_date, excluded.revision, excluded.epoch, excluded.seq) >"
        " (timeline_events.last_update_date, timeline_events.revision, timeline_events.epoch, timeline_events.seq)");
    for (int table = 0; table < 2; table++) {
        char sql[256];
        const char *name = table == 0 ? "runs" : "covered";
        snprintf(sql, sizeof sql, "UPDATE %s SET last = ?4 WHERE vehicle = ?1 AND epoch = ?2 AND last = ?3 - 1", name);
        extend_run[table] = prepare(sql);
        snprintf(sql, sizeof sql, "INSERT INTO %s (vehicle, epoch, first, last) VALUES (?1, ?2, ?3, ?4)", name);
        insert_run[table] = prepare(sql);
    }
}

static void upsert_timeline(const struct message *message) {
    const char *json = message->payload;
    sqlite3_stmt *s = upsert_event;
    struct slice end = member(json, "\"end_date\"");
    if (end.length == 4) end.length = -1;
    sqlite3_bind_int64(s, 1, message->vehicle);
    bind_text(s, 2, member(json, "\"event_id\""));
    bind_text(s, 3, member(json, "\"last_update_date\""));
    sqlite3_bind_int64(s, 4, atol(member(json, "\"revision\"").start));
    sqlite3_bind_int64(s, 5, message->epoch);
    sqlite3_bind_int64(s, 6, message->seq);
    sqlite3_bind_int(s, 7, is_true(member(json, "\"is_provisional\"")));
    bind_text(s, 8, member(json, "\"type\""));
    bind_text(s, 9, member(json, "\"start_date\""));
    bind_text(s, 10, end);
    bind_number(s, 11, member(json, "\"duration\""));
    bind_text(s, 12, member(json, "\"transport_mode\""));
    bind_number(s, 13, member(json, "\"distance_in_meters\""));
    run(s);
}

static int kind_index(struct slice kind) { return kind.start[0] == 'l' ? 0 : kind.start[0] == 't' ? 1 : 2; }

static void write_sqlite(void) {
    static int batch_number;
    batch_number++;
    execute("BEGIN IMMEDIATE");
    int changed[batch_limit], changed_count = 0;
    for (int i = 0; i < batch_count; i++) {
        struct message *m = &batch[i];
        int index = vehicle_index(m);
        if (vehicles[index].key == 0) {
            bind_text(insert_vehicle, 1, m->fleet);
            bind_text(insert_vehicle, 2, m->device);
            sqlite3_bind_text(insert_vehicle, 3, m->received, -1, SQLITE_STATIC);
            run(insert_vehicle);
            bind_text(find_vehicle, 1, m->fleet);
            bind_text(find_vehicle, 2, m->device);
            if (sqlite3_step(find_vehicle) != SQLITE_ROW) fail("vehicle", sqlite3_errmsg(database));
            vehicles[index].key = sqlite3_column_int64(find_vehicle, 0);
            sqlite3_reset(find_vehicle);
        }
        m->vehicle = vehicles[index].key;
        struct columns c = columns_of(m);
        sqlite3_stmt *s = insert_record;
        sqlite3_bind_int64(s, 1, m->vehicle);
        sqlite3_bind_int64(s, 2, m->epoch);
        sqlite3_bind_int64(s, 3, m->seq);
        bind_text(s, 4, m->kind);
        sqlite3_bind_text(s, 5, m->received, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 6, m->payload, m->payload_length, SQLITE_STATIC);
        bind_text(s, 7, c.time);
        bind_text(s, 8, c.event);
        bind_text(s, 9, c.subject);
        bind_number(s, 10, c.latitude);
        bind_number(s, 11, c.longitude);
        bind_number(s, 12, c.accuracy);
        bind_number(s, 13, c.altitude);
        bind_number(s, 14, c.speed);
        bind_number(s, 15, c.heading);
        if (c.is_moving.length < 0) sqlite3_bind_null(s, 16);
        else sqlite3_bind_int(s, 16, is_true(c.is_moving));
        bind_number(s, 17, c.odometer);
        bind_text(s, 18, c.driver);
        m->is_new = run(s) == 1;
        if (!m->is_new) continue;
        if (m->kind.start[0] == 't') upsert_timeline(m);
        if (vehicles[index].batch_of_run != batch_number) {
            vehicles[index].batch_of_run = batch_number;
            vehicles[index].epoch = m->epoch;
            vehicles[index].first = vehicles[index].last = m->seq;
            for (int kind = 0; kind < 3; kind++) vehicles[index].newest[kind] = -1;
            changed[changed_count++] = index;
        }
        // The numbers of the benchmark ascend.
        vehicles[index].last = m->seq;
        vehicles[index].newest[kind_index(m->kind)] = i;
    }
    for (int i = 0; i < changed_count; i++) {
        int index = changed[i];
        for (int table = 0; table < 2; table++) {
            for (int step = 0; step < 2; step++) {
                sqlite3_stmt *s = step == 0 ? extend_run[table] : insert_run[table];
                sqlite3_bind_int64(s, 1, vehicles[index].key);
                sqlite3_bind_int64(s, 2, vehicles[index].epoch);
                sqlite3_bind_int64(s, 3, vehicles[index].first);
                sqlite3_bind_int64(s, 4, vehicles[index].last);
                if (run(s) > 0) break;
            }
        }
        const struct message *last = NULL;
        for (int kind = 0; kind < 3; kind++) {
            int newest = vehicles[index].newest[kind];
            if (newest < 0) continue;
            const struct message *m = &batch[newest];
            if (!last || m > last) last = m;
            sqlite3_bind_int64(update_latest, 1, m->vehicle);
            bind_text(update_latest, 2, m->kind);
            sqlite3_bind_int64(update_latest, 3, m->epoch);
            sqlite3_bind_int64(update_latest, 4, m->seq);
            bind_text(update_latest, 5, columns_of(m).time);
            run(update_latest);
        }
        sqlite3_bind_int64(touch_vehicle, 1, vehicles[index].key);
        sqlite3_bind_text(touch_vehicle, 2, last->received, -1, SQLITE_STATIC);
        run(touch_vehicle);
    }
    execute("COMMIT");
}

// MARK: PostgreSQL

static void query(const char *sql) {
    PGresult *result = PQexec(server, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN)
        fail(sql, PQerrorMessage(server));
    PQclear(result);
}

static void open_postgresql(const char *address) {
    server = PQconnectdb(address);
    if (PQstatus(server) != CONNECTION_OK) fail(address, PQerrorMessage(server));
    query("SET search_path = odograph; SET timezone = 'UTC'; SET synchronous_commit = on;"
          "CREATE TEMPORARY TABLE staging (fleet text, device text, kind text, epoch bigint, seq bigint,"
          " received timestamptz, payload text, time timestamptz, event text, subject text, latitude float8,"
          " longitude float8, accuracy float8, altitude float8, speed float8, heading float8, is_moving bigint,"
          " odometer float8, driver text, revision bigint, is_provisional bigint, start_date timestamptz,"
          " end_date timestamptz, duration float8, transport_mode text, distance float8) ON COMMIT DELETE ROWS;"
          "CREATE TEMPORARY TABLE fresh (vehicle bigint, kind text, epoch bigint, seq bigint, time timestamptz)"
          " ON COMMIT DELETE ROWS");
    // Prepared once, as the recorder's statements are.
    query("PREPARE add_vehicles AS INSERT INTO vehicles (fleet, device, first_seen, last_seen)"
          " SELECT fleet, device, min(received), max(received) FROM staging GROUP BY 1, 2"
          " ON CONFLICT (fleet, device) DO UPDATE SET last_seen = excluded.last_seen");
    query("PREPARE merge_records AS WITH inserted AS (INSERT INTO records (vehicle, epoch, seq, kind, received, payload,"
          " time, clock_untrusted, mock, event, subject, latitude, longitude, accuracy, altitude, speed, heading,"
          " is_moving, odometer, driver)"
          " SELECT v.id, epoch, seq, kind, received, payload, time, 0, 0, event, subject, latitude, longitude, accuracy,"
          " altitude, speed, heading, is_moving, odometer, driver FROM staging JOIN vehicles v USING (fleet, device)"
          " WHERE coalesce((SELECT last FROM runs WHERE runs.vehicle = v.id AND runs.epoch = staging.epoch"
          " AND runs.first <= staging.seq ORDER BY first DESC LIMIT 1), 0) < seq"
          " ON CONFLICT DO NOTHING RETURNING vehicle, kind, epoch, seq, time)"
          " INSERT INTO fresh SELECT * FROM inserted");
    query("PREPARE merge_events AS INSERT INTO timeline_events (vehicle, event_id, last_update_date, revision, epoch,"
          " seq, withdrawn, is_provisional, type, start_date, end_date, duration, transport_mode, distance)"
          " SELECT DISTINCT ON (v.id, subject) v.id, subject, s.time, revision, s.epoch, s.seq, 0, is_provisional, event,"
          " start_date, end_date, duration, transport_mode, distance FROM staging s JOIN vehicles v USING (fleet, device)"
          " JOIN fresh ON fresh.vehicle = v.id AND fresh.epoch = s.epoch AND fresh.seq = s.seq"
          " WHERE s.kind = 'timeline' ORDER BY v.id, subject, s.time DESC, revision DESC"
          " ON CONFLICT (vehicle, event_id) DO UPDATE SET last_update_date = excluded.last_update_date,"
          " revision = excluded.revision, epoch = excluded.epoch, seq = excluded.seq,"
          " is_provisional = excluded.is_provisional, end_date = excluded.end_date, duration = excluded.duration,"
          " distance = excluded.distance"
          " WHERE (excluded.last_update_date, excluded.revision, excluded.epoch, excluded.seq) >"
          " (timeline_events.last_update_date, timeline_events.revision, timeline_events.epoch, timeline_events.seq)");
    query("PREPARE merge_latest AS INSERT INTO latest (vehicle, kind, epoch, seq, time)"
          " SELECT DISTINCT ON (vehicle, kind) vehicle, kind, epoch, seq, time FROM fresh"
          " ORDER BY vehicle, kind, epoch DESC, seq DESC"
          " ON CONFLICT (vehicle, kind) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq, time = excluded.time"
          " WHERE (excluded.epoch, excluded.seq) > (latest.epoch, latest.seq)");
    for (int table = 0; table < 2; table++) {
        char sql[700];
        const char *name = table == 0 ? "runs" : "covered";
        // The numbers of the benchmark ascend without a gap.
        snprintf(sql, sizeof sql,
                 "PREPARE merge_%s AS WITH part AS (SELECT vehicle, epoch, min(seq) AS first, max(seq) AS last FROM fresh"
                 " GROUP BY 1, 2), extended AS (UPDATE %s SET last = part.last FROM part WHERE %s.vehicle = part.vehicle"
                 " AND %s.epoch = part.epoch AND %s.last = part.first - 1 RETURNING %s.vehicle, %s.epoch)"
                 " INSERT INTO %s (vehicle, epoch, first, last) SELECT * FROM part WHERE NOT EXISTS"
                 " (SELECT 1 FROM extended WHERE extended.vehicle = part.vehicle AND extended.epoch = part.epoch)",
                 name, name, name, name, name, name, name, name);
        query(sql);
    }
}

static char *copy_buffer;
static size_t copy_length, copy_room;

static void put(const char *text, int length) {
    if (copy_length + 2 * length + 2 > copy_room) copy_buffer = realloc(copy_buffer, copy_room = 2 * (copy_room + length) + 64);
    for (int i = 0; i < length; i++) {
        if (text[i] == '\\' || text[i] == '\t' || text[i] == '\n') copy_buffer[copy_length++] = '\\';
        copy_buffer[copy_length++] = text[i];
    }
}

static void put_field(struct slice value) {
    if (value.length < 0) {
        put("", 0);
        memcpy(copy_buffer + copy_length, "\\N", 2);
        copy_length += 2;
    } else {
        put(value.start, value.length);
    }
    put("", 0);
    copy_buffer[copy_length++] = '\t';
}

static void put_bool(struct slice value) {
    put_field(value.length < 0 ? value : (struct slice){is_true(value) ? "1" : "0", 1});
}

static void write_postgresql(void) {
    query("BEGIN");
    query("COPY staging FROM STDIN");
    copy_length = 0;
    for (int i = 0; i < batch_count; i++) {
        struct message *m = &batch[i];
        const char *json = m->payload;
        struct columns c = columns_of(m);
        bool is_event = m->kind.start[0] == 't';
        struct slice end = member(json, "\"end_date\""), none = {NULL, -1};
        if (end.length == 4) end.length = -1;
        put_field(m->fleet);
        put_field(m->device);
        put_field(m->kind);
        put_field(member(json, "\"epoch\""));
        put_field(member(json, "\"seq\""));
        put_field((struct slice){m->received, (int)strlen(m->received)});
        put_field((struct slice){m->payload, m->payload_length});
        put_field(c.time);
        put_field(c.event);
        put_field(c.subject);
        put_field(c.latitude);
        put_field(c.longitude);
        put_field(c.accuracy);
        put_field(c.altitude);
        put_field(c.speed);
        put_field(c.heading);
        put_bool(c.is_moving);
        put_field(c.odometer);
        put_field(c.driver);
        put_field(is_event ? member(json, "\"revision\"") : none);
        put_bool(is_event ? member(json, "\"is_provisional\"") : none);
        put_field(is_event ? member(json, "\"start_date\"") : none);
        put_field(is_event ? end : none);
        put_field(is_event ? member(json, "\"duration\"") : none);
        put_field(is_event ? member(json, "\"transport_mode\"") : none);
        put_field(is_event ? member(json, "\"distance_in_meters\"") : none);
        copy_buffer[copy_length - 1] = '\n';
    }
    if (PQputCopyData(server, copy_buffer, (int)copy_length) != 1 || PQputCopyEnd(server, NULL) != 1)
        fail("COPY", PQerrorMessage(server));
    for (PGresult *result; (result = PQgetResult(server)) != NULL; PQclear(result))
        if (PQresultStatus(result) != PGRES_COMMAND_OK) fail("COPY", PQerrorMessage(server));
    query("EXECUTE add_vehicles; EXECUTE merge_records; EXECUTE merge_events; EXECUTE merge_latest;"
          "EXECUTE merge_runs; EXECUTE merge_covered; COMMIT");
}

// MARK: Messages

static void write_batch(void) {
    if (batch_count == 0) return;
    if (database) write_sqlite();
    if (server) write_postgresql();
    for (int i = 0; i < batch_count; i++) {
        free(batch[i].topic);
        free(batch[i].payload);
    }
    stored += batch_count;
    batch_count = 0;
}

static void on_message(struct mosquitto *client, void *context, const struct mosquitto_message *message,
                       const mosquitto_property *list) {
    if (!database && !server) {
        stored++;
        return;
    }
    struct message *m = &batch[batch_count];
    m->topic = strdup(message->topic);
    m->payload = malloc(message->payloadlen + 1);
    memcpy(m->payload, message->payload, message->payloadlen);
    m->payload[message->payloadlen] = 0;
    m->payload_length = message->payloadlen;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    struct tm parts;
    gmtime_r(&t.tv_sec, &parts);
    size_t length = strftime(m->received, sizeof m->received, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(m->received + length, sizeof m->received - length, ".%03dZ", (int)(t.tv_nsec / 1000000));
    read_topic(m);
    if (batch_count++ == 0) first_arrival = now();
    if (batch_count == batch_limit) write_batch();
}

static void on_connect(struct mosquitto *client, void *context, int reason, int flags, const mosquitto_property *list) {
    if (reason != 0) fail("connect", mosquitto_reason_string(reason));
    is_connected = 1;
}

static void on_subscribe(struct mosquitto *client, void *context, int identifier, int count, const int *granted,
                         const mosquitto_property *list) {
    is_subscribed = 1;
}

static void turn(struct mosquitto *client) {
    int descriptor = mosquitto_socket(client), one = 1;
    if (descriptor < 0) fail("connection", "lost");
    setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
    struct pollfd interest = {descriptor, POLLIN | (mosquitto_want_write(client) ? POLLOUT : 0), 0};
    if (poll(&interest, 1, 50) < 0 && errno != EINTR) fail("poll", strerror(errno));
    int code = 0;
    if (interest.revents & POLLIN) code = mosquitto_loop_read(client, 1);
    if (code == 0 && (interest.revents & POLLOUT)) code = mosquitto_loop_write(client, 1);
    if (code == 0) code = mosquitto_loop_misc(client);
    if (code != 0) fail("loop", mosquitto_strerror(code));
}

static double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **arguments) {
    if (count != 6) fail("usage", "RecordInC sqlite|postgresql|none DATABASE PORT CLIENT COUNT");
    wanted = atol(arguments[5]);
    if (wanted > 0 && strcmp(arguments[1], "sqlite") == 0) open_sqlite(arguments[2]);
    if (wanted > 0 && strcmp(arguments[1], "postgresql") == 0) open_postgresql(arguments[2]);
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(arguments[4], false, NULL);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, 65535);
    mosquitto_connect_v5_callback_set(client, on_connect);
    mosquitto_subscribe_v5_callback_set(client, on_subscribe);
    mosquitto_message_v5_callback_set(client, on_message);
    mosquitto_property *expiry = NULL;
    mosquitto_property_add_int32(&expiry, MQTT_PROP_SESSION_EXPIRY_INTERVAL, 86400);
    if (mosquitto_connect_bind_v5(client, "127.0.0.1", atoi(arguments[3]), 60, NULL, expiry) != 0)
        fail("connect", "refused");
    while (!is_connected) turn(client);
    if (wanted == 0) {
        mosquitto_subscribe(client, NULL, "fleet/acme/#", 1);
        while (!is_subscribed) turn(client);
    }
    while (stored < wanted) {
        turn(client);
        if (batch_count > 0 && (stored + batch_count >= wanted || now() - first_arrival >= 0.25)) write_batch();
    }
    if (server) PQfinish(server);
    printf("%ld %.6f\n", stored, processor_seconds());
    mosquitto_disconnect(client);
    return 0;
}
