#pragma once

struct mosquitto;

/// Runs `mosquitto_loop_read` for one packet. Returns `MOSQ_ERR_MALFORMED_PACKET` if the library would abort the process.
/// Then the only permitted call on the client is `mosquitto_destroy`.
int odograph_mosquitto_loop_read(struct mosquitto *client);
