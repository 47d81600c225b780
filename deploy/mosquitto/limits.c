// Limits of what one login can make mosquitto 2.0 keep, for the listeners of people (see odograph.conf).
//
// mosquitto limits the queue of one client. A login may have any number of clients, and all queues share the broker's
// memory_limit: when it is reached, the broker ends connections, those of vehicles too. This plugin refuses, for each login,
//   - more connections at a time than CONNECTIONS;
//   - more subscriptions of a connection than SUBSCRIPTIONS, and filters and client ids that are longer than names need;
//   - to queue more for the sessions whose clients are away than the budget of the login's role;
//   - a client id that a session of another login has.
// It decides before mosquitto checks the password and the rules, and leaves everything else to them.
//
// What the interface of 2.0 shows of a session is little: a connection that begins, its end, and each message that is about
// to be queued for a subscription. It shows neither whether a session outlives its connection nor whether a queue was read.
// So what was queued for a session counts until nothing more was to be queued for FORGET seconds: it was read or is gone
// by then. The last OWNED client ids of a login stay its own when their connections have ended. After a start of the
// broker a session that was kept on the disk is known from the first message for it.
//
//   plugin /etc/mosquitto/odograph/broker/limits.so
//   plugin_opt_people /etc/mosquitto/odograph/broker/people      a login and its role a line, such as "ann dashboard"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>

enum {
    CONNECTIONS = 20,
    SUBSCRIPTIONS = 100,
    FILTER_BYTES = 256,
    ID_BYTES = 128,
    FORGET = 3600,
    OWNED = 64,
    BUCKETS = 1024,
};

struct budget {
    uint32_t messages;
    uint64_t bytes;
};
// For all absent sessions of a login together: pages that have lost their connection for some minutes.
static const struct budget of_people = {20000, 32u << 20};
// A recorder that is away for hours. mosquitto's own limits hold for each of its sessions too.
static const struct budget of_recorders = {200000, 128u << 20};

struct login {
    struct login *next;
    char *name;
    struct budget kept;
    unsigned connections;
    bool is_listed, is_recorder, is_told;
};

// A connection, or a session whose client is away.
struct session {
    struct session *next;
    const struct mosquitto *client; // The broker's name for it. It may be gone: never looked into.
    struct login *login;
    char *id;
    struct budget kept;
    time_t touched, queued;
    // Whether a client is there; counts as one of the login's; was let in by the broker, as far as is known.
    bool is_connected, is_counted, is_admitted;
};

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

// The login of a name; NULL where the list has no such name. So whoever invents names takes no memory.
static struct login *login_of(const char *name) {
    struct login *login;
    for (login = logins; login; login = login->next)
        if (!strcmp(login->name, name)) return login->is_listed ? login : NULL;
    return NULL;
}

// Puts a name on the list; NULL where there is no memory.
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

// Adds a session; NULL where there is no memory.
static struct session *add(const struct mosquitto *client, struct login *login, bool is_connected, bool is_counted) {
    struct session **place = find(client), *session;
    // The broker has given the place of a session that is gone to another one.
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

// Forgets the oldest id of a login that has nothing queued, where there are more than OWNED.
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

// No longer counts what was read or is gone by now.
static void sweep(time_t now) {
    if (now - swept < 60) return;
    swept = now;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        for (struct session **place = &sessions[bucket]; *place;) {
            struct session *session = *place;
            if (now - session->queued > FORGET) release(session);
            // One that is new to the list was queued for, and so not counted by trim().
            if (!session->is_connected && !session->is_admitted && !session->kept.messages) drop(place);
            else place = &session->next;
        }
}

// The broker has let a client in: it goes on with what its login's session of the same id had.
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
    mosquitto_log_printf(MOSQ_LOG_NOTICE, "limits: %s from %s is refused: %s.", name, address ? address : "?", reason);
    return MOSQ_ERR_AUTH;
}

// A connection begins. At a reload the broker asks the same for every session that it has, also for those without a client.
// One that has subscriptions or a queue is no new one. Of the others, in the moment after a reload, only those count that
// do something.
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
    // No password opens the broker for a name that is not on the list.
    if (!(login = login_of(name))) return MOSQ_ERR_PLUGIN_DEFER;
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

// A connection ends, or was refused.
static int on_disconnect(int event, void *data, void *context) {
    struct mosquitto_evt_disconnect *ended = data;
    struct session **place = find(ended->client);
    (void)event, (void)context;
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

// Whether a message may be queued for a session whose client is away.
static bool may_keep(const struct mosquitto *client, uint64_t bytes) {
    struct session *session = *find(client);
    const char *name = mosquitto_client_username(client);
    struct login *login = session ? session->login : name ? login_of(name) : NULL;
    if (!login || !mosquitto_client_id(client)) return false;
    if (!session && !(session = add(client, login, false, false))) return false;
    const struct budget *budget = login->is_recorder ? &of_recorders : &of_people;
    session->touched = session->queued = time(NULL);
    if (login->kept.messages >= budget->messages || login->kept.bytes + bytes > budget->bytes) {
        if (!login->is_told)
            mosquitto_log_printf(MOSQ_LOG_NOTICE, "limits: no more is queued for the absent sessions of %s.", login->name);
        login->is_told = true;
        return false;
    }
    if (login->kept.messages < budget->messages / 2 && login->kept.bytes < budget->bytes / 2) login->is_told = false;
    session->kept.messages++, login->kept.messages++;
    session->kept.bytes += bytes, login->kept.bytes += bytes;
    return true;
}

static int on_access(int event, void *data, void *context) {
    struct mosquitto_evt_acl_check *asked = data;
    sweep(time(NULL));
    struct session *session = *find(asked->client);
    (void)event, (void)context;
    if (session && session->is_connected && !session->is_admitted) admit(session);
    if (asked->access == MOSQ_ACL_SUBSCRIBE) {
        if (strlen(asked->topic) > FILTER_BYTES || mosquitto_client_sub_count(asked->client) >= SUBSCRIPTIONS)
            return MOSQ_ERR_ACL_DENIED;
    } else if (asked->access == MOSQ_ACL_READ) {
        // Of messages of QoS 0 nothing is queued.
        if (!(session && session->is_connected) && asked->qos > 0 && !may_keep(asked->client, asked->payloadlen))
            return MOSQ_ERR_ACL_DENIED;
    }
    return MOSQ_ERR_PLUGIN_DEFER;
}

// Reads the list, at the start and at each reload.
static int read_people(int event, void *data, void *context) {
    char name[129], role[33];
    FILE *file = people_path ? fopen(people_path, "r") : NULL;
    (void)event, (void)context;
    if (data) reloaded = time(NULL);
    if (!file) {
        mosquitto_log_printf(MOSQ_LOG_ERR, "limits: plugin_opt_people names no file that can be read.");
        return MOSQ_ERR_INVAL;
    }
    for (struct login *login = logins; login; login = login->next) login->is_listed = false;
    while (fscanf(file, "%128s %32s", name, role) == 2) {
        struct login *login = enter(name);
        if (!login) break;
        login->is_listed = true;
        login->is_recorder = !strcmp(role, "recorder");
    }
    fclose(file);
    return MOSQ_ERR_SUCCESS;
}

int mosquitto_plugin_version(int count, const int *versions) {
    for (int index = 0; index < count; index++)
        if (versions[index] == MOSQ_PLUGIN_VERSION) return MOSQ_PLUGIN_VERSION;
    return -1;
}

// Once for each listener: they share what is known of logins and sessions.
int mosquitto_plugin_init(mosquitto_plugin_id_t *plugin, void **context, struct mosquitto_opt *options, int count) {
    (void)context;
    for (int index = 0; index < count; index++)
        if (!strcmp(options[index].key, "people")) {
            free(people_path);
            people_path = strdup(options[index].value);
        }
    int code = read_people(MOSQ_EVT_RELOAD, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_BASIC_AUTH, on_connect, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_DISCONNECT, on_disconnect, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_ACL_CHECK, on_access, NULL, NULL);
    if (!code) code = mosquitto_callback_register(plugin, MOSQ_EVT_RELOAD, read_people, NULL, NULL);
    return code;
}

int mosquitto_plugin_cleanup(void *context, struct mosquitto_opt *options, int count) {
    (void)context, (void)options, (void)count;
    return MOSQ_ERR_SUCCESS;
}
