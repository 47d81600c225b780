// Limits the memory that one login of people can use in mosquitto, and what one vehicle can send. Keeps the logins of
// people and of vehicles apart (see odograph.conf).
//
// mosquitto limits the queue of one client. But a login can have any number of clients, and all queues share the broker's
// memory_limit. If it is reached, the broker ends connections, also those of vehicles. For each login, this plugin refuses:
//   - more than CONNECTIONS connections at a time;
//   - more than SUBSCRIPTIONS subscriptions of a connection, of Home Assistant more, because it has one for each topic of
//     each vehicle; and filters and client ids that are longer than needed;
//   - messages for the queues of offline sessions beyond the budget of the login's role;
//   - a client id that a session of another login uses.
// It decides before mosquitto checks the password and the access rules, which decide everything else.
//
// A login that is not on the list is a vehicle's. It has a certificate, and the broker does not ask for a password where it
// has one. So a password for such a name is refused. A client that has the name of a person without a password came with a
// certificate: it publishes nothing and subscribes to nothing.
//
// A vehicle has an allowance of messages and one of bytes, which time refills. Without them, one vehicle fills the queue
// of a recorder faster than any recorder can read, and mosquitto drops the messages of the others. If a message exceeds
// the allowance, the connection ends without an acknowledgement, so that the vehicle sends the message again. A denial
// would be a loss: MQTT 3.1.1 acknowledges what is denied.
//
// The interface of 2.0 shows the start and the end of a connection, and each message before it is queued for a subscription.
// It does not show whether a session outlives its connection, or whether a queue was read. Therefore a queue counts until no
// message was queued for FORGET seconds: by then it was read or dropped. The last OWNED client ids of a login stay reserved
// when their connections have ended. After a start of the broker, a session on the disk is known from its first message.
//
//   plugin /etc/mosquitto/odograph/broker/limits.so
//   plugin_opt_people /etc/mosquitto/odograph/broker/people      a login and its role a line, such as "ann dashboard"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#if __has_include(<mosquitto/broker_plugin.h>)
#include <mosquitto/broker.h>
#include <mosquitto/broker_plugin.h>
#define IS_2_1
#else
#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>
#endif

enum {
    CONNECTIONS = 20,
    SUBSCRIPTIONS = 100,
    SUBSCRIPTIONS_OF_HOME_ASSISTANT = 5000,
    FILTER_BYTES = 256,
    ID_BYTES = 128,
    REQUEST_BYTES = 4096,
    FORGET = 3600,
    OWNED = 64,
    BUCKETS = 1024,
    // Of a vehicle. "provision vehicle" gives each agent caps below what a second refills. The full allowance is more than
    // an agent has unacknowledged, and twice the largest packet (max_packet_size).
    MESSAGES_A_SECOND = 500,
    MESSAGES_AT_ONCE = 2000,
    BYTES_A_SECOND = 1 << 20,
    BYTES_AT_ONCE = 16 << 20,
    // For what the interface does not show: the properties of a message or of a last will.
    DEPOSIT = 256 << 10,
    SUBSCRIPTIONS_OF_VEHICLE = 1000,
    // Places for allowances, more than connections of the listener. That of a vehicle is in one of PLACES consecutive ones.
    ALLOWANCES = 16384,
    PLACES = 16,
};

// Since 2.1 the end of a connection whose session stays has an event of its own, with the same data. It is registered also
// where this was compiled for 2.0, because the broker may be upgraded.
enum { MOSQ_EVT_OFFLINE_SINCE_2_1 = 28 };
#ifdef IS_2_1
_Static_assert(MOSQ_EVT_OFFLINE_SINCE_2_1 == (int)MOSQ_EVT_CLIENT_OFFLINE, "an event has another number");
_Static_assert(
    offsetof(struct mosquitto_evt_client_offline, client) == offsetof(struct mosquitto_evt_disconnect, client),
    "the events have different data");
#endif

struct budget {
    uint32_t messages;
    uint64_t bytes;
};
// For all offline sessions of a login together: pages that lost their connection for some minutes.
static const struct budget of_people = {20000, 32u << 20};
// A recorder that is offline for hours. mosquitto's own limits also apply to each of its sessions.
static const struct budget of_recorders = {200000, 128u << 20};

struct login {
    struct login *next;
    char *name;
    struct budget kept;
    unsigned connections;
    int subscriptions; // The most of a connection.
    bool is_listed, is_recorder, is_signer, is_told;
};

// A connection, or an offline session.
struct session {
    struct session *next;
    const struct mosquitto *client; // The broker's handle. It may be invalid, so it is never dereferenced.
    struct login *login;
    char *id;
    struct budget kept;
    time_t touched, queued;
    // Whether a client is connected; whether it counts for the login; whether the broker admitted it, as far as known.
    bool is_connected, is_counted, is_admitted;
};

// What a vehicle may send now.
struct allowance {
    uint64_t vehicle; // A salted hash of its name.
    double messages, bytes;
    double filled, told; // Seconds of a clock that is not set.
};

static struct allowance allowances[ALLOWANCES];
static uint64_t salt;
// The client whose connection just ended. Its last will comes next, if it comes without a delay.
static const struct mosquitto *ended;
static struct session *sessions[BUCKETS];
static struct login *logins;
static char *people_path;
static time_t swept, reloaded;

static struct session **find(const struct mosquitto *client) {
    struct session **place = &sessions[((uintptr_t)client >> 6) % BUCKETS];
    while (*place && (*place)->client != client) place = &(*place)->next;
    return place;
}

static void release(struct session *session) {
    session->login->kept.messages -= session->kept.messages;
    session->login->kept.bytes -= session->kept.bytes;
    session->kept = (struct budget){0, 0};
}

static void drop(struct session **place) {
    struct session *gone = *place;
    *place = gone->next;
    release(gone);
    if (gone->is_counted) gone->login->connections--;
    mosquitto_free(gone->id);
    mosquitto_free(gone);
}

// Returns the login of a name; NULL if the list does not contain it, so that invented names use no memory.
static struct login *login_of(const char *name) {
    struct login *login;
    for (login = logins; login; login = login->next)
        if (!strcmp(login->name, name)) return login->is_listed ? login : NULL;
    return NULL;
}

// Adds a name to the list; NULL if there is no memory.
static struct login *enter(const char *name) {
    struct login *login;
    for (login = logins; login; login = login->next)
        if (!strcmp(login->name, name)) return login;
    if (!(login = mosquitto_calloc(1, sizeof *login)) || !(login->name = mosquitto_strdup(name))) {
        mosquitto_free(login);
        return NULL;
    }
    login->next = logins;
    return logins = login;
}

// Adds a session; NULL if there is no memory.
static struct session *add(const struct mosquitto *client, struct login *login, bool is_connected, bool is_counted) {
    struct session **place = find(client), *session;
    // The broker reused the handle of an ended session.
    if (*place) drop(place);
    if (!(session = mosquitto_calloc(1, sizeof *session))) return NULL;
    if (!(session->id = mosquitto_strdup(mosquitto_client_id(client)))) {
        mosquitto_free(session);
        return NULL;
    }
    session->client = client;
    session->login = login;
    session->touched = time(NULL);
    session->is_connected = is_connected;
    session->is_counted = is_counted;
    login->connections += is_counted;
    place = find(client);
    return *place = session;
}

// Removes the oldest id of a login without queued messages, if there are more than OWNED.
static void trim(const struct login *login) {
    struct session **oldest = NULL;
    int count = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct session **place = &sessions[bucket]; *place; place = &(*place)->next) {
            if ((*place)->login != login || (*place)->is_connected || (*place)->kept.messages) continue;
            count++;
            if (!oldest || (*place)->touched < (*oldest)->touched) oldest = place;
        }
    if (count > OWNED) drop(oldest);
}

// Stops counting queues that were read or dropped.
static void sweep(time_t now) {
    if (now - swept < 60) return;
    swept = now;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct session **place = &sessions[bucket]; *place;) {
            struct session *session = *place;
            if (now - session->queued > FORGET) release(session);
            // A name that is new on the list had queued messages, so trim() did not count it.
            if (!session->is_connected && !session->is_admitted && !session->kept.messages) drop(place);
            else place = &session->next;
        }
}

// The broker admitted a client: it continues the session of its login with the same id.
static void admit(struct session *session) {
    session->is_admitted = true;
    session->login->connections += !session->is_counted;
    session->is_counted = true;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct session **place = &sessions[bucket]; *place; place = &(*place)->next) {
            const struct session *other = *place;
            if (other->is_connected || other->login != session->login || strcmp(other->id, session->id)) continue;
            struct budget kept = other->kept;
            session->queued = other->queued;
            drop(place);
            session->kept = kept;
            session->login->kept.messages += kept.messages;
            session->login->kept.bytes += kept.bytes;
            return;
        }
}

static int refuse(const struct mosquitto *client, const char *name, const char *reason) {
    const char *address = mosquitto_client_address(client);
    mosquitto_log_printf(MOSQ_LOG_NOTICE, "limits: refused %s from %s: %s.", name, address ? address : "?", reason);
    return MOSQ_ERR_AUTH;
}

// A connection starts. At a reload the broker calls this for all its sessions, also for offline ones. A session with
// subscriptions or a queue is not new. Directly after a reload, the other sessions count only when they are active.
static int on_connect(int event, void *data, void *context) {
    struct mosquitto_evt_basic_auth *asked = data;
    const struct mosquitto *client = asked->client;
    const char *id = mosquitto_client_id(client), *name = asked->username;
    time_t now = time(NULL);
    sweep(now);
    struct session **known = find(client);
    struct login *login;
    (void)event, (void)context;
    if (!name || !id) return MOSQ_ERR_PLUGIN_DEFER;
    // At a reload, these are the offline sessions of vehicles. They stay.
    if (!(login = login_of(name))) return MOSQ_ERR_AUTH;
    if (*known && (*known)->is_connected && !strcmp((*known)->id, id)) return MOSQ_ERR_PLUGIN_DEFER;
    if (strlen(id) > ID_BYTES) return refuse(client, name, "its client id is too long");
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct session *other = sessions[bucket]; other; other = other->next)
            if (other->login != login && !strcmp(other->id, id))
                return refuse(client, name, "a session of another login has its client id");
    if (mosquitto_client_sub_count(client) > 0) return MOSQ_ERR_PLUGIN_DEFER;
    if (*known && (*known)->kept.messages && !strcmp((*known)->id, id)) return MOSQ_ERR_PLUGIN_DEFER;
    if (now - reloaded <= 1) return add(client, login, true, false) ? MOSQ_ERR_PLUGIN_DEFER : MOSQ_ERR_NOMEM;
    if (login->connections >= CONNECTIONS) return refuse(client, name, "this login has too many connections");
    return add(client, login, true, true) ? MOSQ_ERR_PLUGIN_DEFER : MOSQ_ERR_NOMEM;
}

// A connection ended, or was refused.
static int on_disconnect(int event, void *data, void *context) {
    struct mosquitto_evt_disconnect *end = data;
    struct session **place = find(end->client);
    (void)event, (void)context;
    ended = end->client;
    struct session *session = *place;
    if (!session || !session->is_connected) return MOSQ_ERR_SUCCESS;
    if (!session->is_admitted) {
        drop(place);
        return MOSQ_ERR_SUCCESS;
    }
    session->is_connected = session->is_counted = false;
    session->login->connections--;
    session->touched = time(NULL);
    trim(session->login);
    return MOSQ_ERR_SUCCESS;
}

// Returns whether a message may be queued for an offline session of a login.
static bool may_keep(
    const struct mosquitto *client, struct session *session, struct login *login, uint64_t bytes) {
    if (!session && !(session = add(client, login, false, false))) return false;
    const struct budget *budget = login->is_recorder ? &of_recorders : &of_people;
    session->touched = session->queued = time(NULL);
    if (login->kept.messages >= budget->messages || login->kept.bytes + bytes > budget->bytes) {
        if (!login->is_told)
            mosquitto_log_printf(MOSQ_LOG_NOTICE, "limits: the queues of the offline sessions of %s are full.", login->name);
        login->is_told = true;
        return false;
    }
    if (login->kept.messages < budget->messages / 2 && login->kept.bytes < budget->bytes / 2) login->is_told = false;
    session->kept.messages++, login->kept.messages++;
    session->kept.bytes += bytes, login->kept.bytes += bytes;
    return true;
}

// Returns the allowance of a vehicle, refilled. Names need no memory: a new one takes the place that was not used for
// longest. Its allowance is full again by then, so that nothing is forgotten.
static struct allowance *allowance_of(const char *name) {
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    double now = clock.tv_sec + clock.tv_nsec / 1e9;
    uint64_t vehicle = salt;
    for (; *name; name++) vehicle = (vehicle ^ (unsigned char)*name) * 0x100000001b3;
    vehicle = (vehicle ^ vehicle >> 32) * 0x9e3779b97f4a7c15;
    vehicle ^= vehicle >> 32;
    struct allowance *found = NULL;
    for (int index = 0; index < PLACES; index++) {
        struct allowance *place = &allowances[(vehicle + index) % ALLOWANCES];
        if (place->vehicle == vehicle && place->filled) {
            double seconds = now - place->filled;
            place->messages += seconds * MESSAGES_A_SECOND;
            place->bytes += seconds * BYTES_A_SECOND;
            if (place->messages > MESSAGES_AT_ONCE) place->messages = MESSAGES_AT_ONCE;
            if (place->bytes > BYTES_AT_ONCE) place->bytes = BYTES_AT_ONCE;
            place->filled = now;
            return place;
        }
        if (!found || place->filled < found->filled) found = place;
    }
    *found = (struct allowance){vehicle, MESSAGES_AT_ONCE, BYTES_AT_ONCE, now, 0};
    return found;
}

// Takes a message from an allowance; false if it does not suffice. `debt` is the part of the full allowance that may be
// missing.
static bool take(struct allowance *allowance, const char *name, double bytes, double debt) {
    if (allowance->messages + debt * MESSAGES_AT_ONCE < 1 || allowance->bytes + debt * BYTES_AT_ONCE < bytes) {
        if (!allowance->told || allowance->filled - allowance->told >= 60) {
            allowance->told = allowance->filled;
            mosquitto_log_printf(MOSQ_LOG_NOTICE, "limits: %s sends too fast.", name);
        }
        return false;
    }
    allowance->messages--;
    allowance->bytes -= bytes;
    return true;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), most = strlen(end);
    return length >= most && !strcmp(text + length - most, end);
}

// Something that a vehicle asks for, also if its access rules then deny it.
static int on_access_of_vehicle(const struct mosquitto_evt_acl_check *asked, const char *name) {
    double bytes = strlen(asked->topic) + asked->payloadlen;
    struct allowance *allowance;
    bool is_will = asked->access == MOSQ_ACL_WRITE && asked->client == ended;
    ended = NULL;
    if (asked->access == MOSQ_ACL_READ) {
        // What a vehicle reads of itself is on these topics: each of its sessions would multiply what it sends.
        if (!ends_with(asked->topic, "/status") && !ends_with(asked->topic, "/numbers")) return MOSQ_ERR_PLUGIN_DEFER;
        return take(allowance_of(name), name, bytes, 0.25) ? MOSQ_ERR_PLUGIN_DEFER : MOSQ_ERR_ACL_DENIED;
    }
    allowance = allowance_of(name);
    if (asked->access != MOSQ_ACL_WRITE) {
        // mosquitto 2.0 leaks memory if another error refuses a subscription.
        if (!take(allowance, name, bytes, 0.25)) return MOSQ_ERR_ACL_DENIED;
        return asked->access == MOSQ_ACL_SUBSCRIBE && (strlen(asked->topic) > FILTER_BYTES ||
            mosquitto_client_sub_count(asked->client) >= SUBSCRIPTIONS_OF_VEHICLE)
                ? MOSQ_ERR_ACL_DENIED : MOSQ_ERR_PLUGIN_DEFER;
    }
    // The last will of a vehicle whose connection was ended here tells the others that it is away.
    if (!take(allowance, name, bytes, is_will ? 0.25 : 0)) return MOSQ_ERR_ADMINISTRATIVE_ACTION;
    // on_message() gives it back. It is not called for a last will, whose properties can be as long as a packet. The
    // access rules deny what is not below the vehicle's own name.
    if (strstr(asked->topic, name)) allowance->bytes -= DEPOSIT;
    return MOSQ_ERR_PLUGIN_DEFER;
}

// A client may publish a message.
static int on_message(int event, void *data, void *context) {
    struct mosquitto_evt_message *message = data;
    const char *name = mosquitto_client_username(message->client);
    (void)event, (void)context;
    if (!name || login_of(name)) return MOSQ_ERR_SUCCESS;
    // Only answers to commands have properties. Elsewhere they would be bytes that no limit counts.
    if (message->properties) return ends_with(message->topic, "/response") ? MOSQ_ERR_SUCCESS : MOSQ_ERR_ACL_DENIED;
    if (strstr(message->topic, name)) allowance_of(name)->bytes += DEPOSIT;
    return MOSQ_ERR_SUCCESS;
}

static int on_access(int event, void *data, void *context) {
    struct mosquitto_evt_acl_check *asked = data;
    sweep(time(NULL));
    struct session *session = *find(asked->client);
    const char *name = mosquitto_client_username(asked->client);
    struct login *login = name ? login_of(name) : NULL;
    (void)event, (void)context;
    if (!name || !mosquitto_client_id(asked->client)) return MOSQ_ERR_PLUGIN_DEFER;
    if (!login) return on_access_of_vehicle(asked, name);
    // The broker reused the handle of an ended session.
    if (session && (session->login != login || strcmp(session->id, mosquitto_client_id(asked->client)))) session = NULL;
    if (session && session->is_connected && !session->is_admitted) admit(session);
    // on_connect() did not see it. After the end of a connection its will is published, so it need not be connected.
    if (!session && asked->access != MOSQ_ACL_READ) return MOSQ_ERR_ACL_DENIED;
    if (asked->access == MOSQ_ACL_SUBSCRIBE) {
        int most = login->subscriptions;
        if (strlen(asked->topic) > FILTER_BYTES || mosquitto_client_sub_count(asked->client) >= most)
            return MOSQ_ERR_ACL_DENIED;
    } else if (asked->access == MOSQ_ACL_READ) {
        // Messages of QoS 0 are not queued.
        if (!(session && session->is_connected) && asked->qos > 0 && !may_keep(asked->client, session, login, asked->payloadlen))
            return MOSQ_ERR_ACL_DENIED;
    } else if (asked->access == MOSQ_ACL_WRITE && asked->payloadlen > 0 && (ends_with(asked->topic, "/certificate/request") ||
            (ends_with(asked->topic, "/certificate") && !login->is_signer))) {
        // A person may remove what a retired vehicle has left, but not ask in the name of one.
        return MOSQ_ERR_ACL_DENIED;
    } else if (asked->access == MOSQ_ACL_WRITE && strstr(asked->topic, "/history:")) {
        // A retained request or answer would stay for ever, under a new name each time.
        if (asked->retain || (strstr(asked->topic, "/request/") && asked->payloadlen > REQUEST_BYTES))
            return MOSQ_ERR_ACL_DENIED;
    }
    return MOSQ_ERR_PLUGIN_DEFER;
}

// Reads the list at the start and at each reload.
static int read_people(int event, void *data, void *context) {
    char name[129], role[33];
    FILE *file = people_path ? fopen(people_path, "r") : NULL;
    (void)event, (void)context;
    if (data) reloaded = time(NULL);
    if (!file) {
        mosquitto_log_printf(MOSQ_LOG_ERR, "limits: cannot read the file of plugin_opt_people.");
        return MOSQ_ERR_INVAL;
    }
    for (struct login *login = logins; login; login = login->next) login->is_listed = false;
    while (fscanf(file, "%128s %32s", name, role) == 2) {
        struct login *login = enter(name);
        if (!login) break;
        login->is_listed = true;
        login->is_recorder = !strcmp(role, "recorder");
        login->is_signer = !strcmp(role, "certificates");
        login->subscriptions = strcmp(role, "homeassistant") ? SUBSCRIPTIONS : SUBSCRIPTIONS_OF_HOME_ASSISTANT;
    }
    fclose(file);
    return MOSQ_ERR_SUCCESS;
}

int mosquitto_plugin_version(int count, const int *versions) {
    for (int index = 0; index < count; index++)
        if (versions[index] == MOSQ_PLUGIN_VERSION) return MOSQ_PLUGIN_VERSION;
    return -1;
}

// Called once for each listener. All listeners share the logins and sessions.
int mosquitto_plugin_init(mosquitto_plugin_id_t *plugin, void **context, struct mosquitto_opt *options, int count) {
    (void)context;
    for (int index = 0; index < count; index++)
        if (!strcmp(options[index].key, "people")) {
            free(people_path);
            people_path = strdup(options[index].value);
        }
    if (!salt && getentropy(&salt, sizeof salt)) return MOSQ_ERR_ERRNO;
    int code = read_people(MOSQ_EVT_RELOAD, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_BASIC_AUTH, on_connect, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_DISCONNECT, on_disconnect, NULL, NULL);
    // 2.0 refuses it.
    if (!code) mosquitto_callback_register(plugin, MOSQ_EVT_OFFLINE_SINCE_2_1, on_disconnect, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_ACL_CHECK, on_access, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_MESSAGE, on_message, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_RELOAD, read_people, NULL, NULL);
    return code;
}

int mosquitto_plugin_cleanup(void *context, struct mosquitto_opt *options, int count) {
    (void)context, (void)options, (void)count;
    return MOSQ_ERR_SUCCESS;
}
