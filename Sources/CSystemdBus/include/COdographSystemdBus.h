// The functions of sd-bus, the D-Bus client of libsystemd, opened at run time. So a program that observes no beacons
// needs neither libsystemd nor its headers. The declarations are those of sd-bus.h since version 240.

#ifndef ODOGRAPH_SYSTEMD_BUS_H
#define ODOGRAPH_SYSTEMD_BUS_H

#include <stddef.h>
#include <stdint.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;

typedef struct {
    const char *name;
    const char *message;
    int need_free;
} odograph_sdbus_error;

// FUNCTION(result, name, parameters)
#define ODOGRAPH_SDBUS_FUNCTIONS(FUNCTION) \
    FUNCTION(int, sd_bus_new, (sd_bus **bus)) \
    FUNCTION(int, sd_bus_set_address, (sd_bus *bus, const char *address)) \
    FUNCTION(int, sd_bus_set_bus_client, (sd_bus *bus, int is_client)) \
    FUNCTION(int, sd_bus_start, (sd_bus *bus)) \
    FUNCTION(int, sd_bus_open_system, (sd_bus **bus)) \
    FUNCTION(sd_bus *, sd_bus_flush_close_unref, (sd_bus *bus)) \
    FUNCTION(int, sd_bus_get_fd, (sd_bus *bus)) \
    FUNCTION(int, sd_bus_process, (sd_bus *bus, sd_bus_message **message)) \
    FUNCTION(int, sd_bus_call, (sd_bus *, sd_bus_message *, uint64_t microseconds, odograph_sdbus_error *, \
                                sd_bus_message **reply)) \
    FUNCTION(void, sd_bus_error_free, (odograph_sdbus_error *error)) \
    FUNCTION(int, sd_bus_message_new_method_call, (sd_bus *, sd_bus_message **, const char *destination, \
                                                   const char *path, const char *interface, const char *member)) \
    FUNCTION(sd_bus_message *, sd_bus_message_unref, (sd_bus_message *message)) \
    FUNCTION(const char *, sd_bus_message_get_path, (sd_bus_message *message)) \
    FUNCTION(const char *, sd_bus_message_get_member, (sd_bus_message *message)) \
    FUNCTION(int, sd_bus_message_append_basic, (sd_bus_message *, char type, const void *value)) \
    FUNCTION(int, sd_bus_message_open_container, (sd_bus_message *, char type, const char *contents)) \
    FUNCTION(int, sd_bus_message_close_container, (sd_bus_message *message)) \
    FUNCTION(int, sd_bus_message_read_basic, (sd_bus_message *, char type, void *value)) \
    FUNCTION(int, sd_bus_message_read_array, (sd_bus_message *, char type, const void **bytes, size_t *size)) \
    FUNCTION(int, sd_bus_message_enter_container, (sd_bus_message *, char type, const char *contents)) \
    FUNCTION(int, sd_bus_message_exit_container, (sd_bus_message *message)) \
    FUNCTION(int, sd_bus_message_peek_type, (sd_bus_message *, char *type, const char **contents)) \
    FUNCTION(int, sd_bus_message_skip, (sd_bus_message *, const char *types))

struct odograph_sdbus {
#define FUNCTION(result, name, parameters) result(*name) parameters;
    ODOGRAPH_SDBUS_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

// Fills in the functions. Returns 0 if this machine has no libsystemd of version 240 or newer.
int odograph_sdbus_load(struct odograph_sdbus *functions);

#endif
