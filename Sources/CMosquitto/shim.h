#include <mosquitto.h>

// Since 2.1 the header above contains this one, and the former name only warns.
#if !__has_include(<mosquitto/mqtt_protocol.h>)
#include <mqtt_protocol.h>
#endif
