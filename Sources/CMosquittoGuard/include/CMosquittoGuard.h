#pragma once

struct mosquitto;

/// `mosquitto_loop_read` for one packet, which comes back with `MOSQ_ERR_MALFORMED_PACKET` where the library would end the
/// process: the client is good for nothing then but `mosquitto_destroy`.
int odograph_mosquitto_loop_read(struct mosquitto *client);
