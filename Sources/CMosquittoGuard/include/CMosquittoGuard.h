#pragma once

struct mosquitto;

/// Runs `mosquitto_loop_read` for one packet. Returns `MOSQ_ERR_MALFORMED_PACKET` if the library would abort the process.
/// Then the only permitted call on the client is `mosquitto_destroy`.
int odograph_mosquitto_loop_read(struct mosquitto *client);

/// Begins to connect to one address of a host, as `mosquitto_connect_bind_async` does: the library uses the name of the
/// host for TLS only. The address is numeric.
int odograph_mosquitto_connect(struct mosquitto *client, const char *host, int port, int keep_alive, const char *address);
