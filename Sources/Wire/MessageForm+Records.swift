extension MessageForm {
    /// A location record.
    static let locationEvent: MessageForm = [
        "uuid": free, "epoch": ordinal, "seq": ordinal, "timestamp": free, "clock_untrusted": free,
        "state_lost": free, "age": number(-1e15...1e15), "event": word, "is_moving": free, "sample": free, "mock": free,
        "odometer": distance, "odometer_error": distance,
        "coords": [
            "latitude": latitude, "longitude": longitude, "accuracy": accuracy, "speed": optionalSpeed,
            "heading": number(-1...360), "altitude": altitude, "ellipsoidal_altitude": altitude,
        ],
        "activity": ["type": word, "confidence": number(0...100)],
        "battery": ["level": share, "is_charging": free],
        "geofence": [
            "identifier": free, "action": word, "occurred_at": free, "confirmed_at": free, "initial": free,
            "reason": word, "exited_at": free, "dwell": duration, "peak_speed": speed, "speed_limit": speed,
            "duration": duration, "name": free, "significance": free, "extras": free,
        ],
        "driving": ["kind": word, "peak_g": number(0...100), "duration": duration, "started_at": free],
        "beacon": ["identifier": free, "action": word, "rssi": number(-128...127)],
        "beacons": beacons, "extras": free, "tag": free,
        "vehicle": [
            "speed": number(0...69.75), "odometer": distance, "ignition": free, "engine_speed": number(0...16_384),
            "battery_voltage": number(0...60), "fuel_level": share, "state_of_charge": share, "source": word,
            "age": number(0...1e15),
        ],
        "driver": driver,
    ]

    /// A revision of an event of the timeline.
    static let timelineEvent: MessageForm = [
        "event_id": text(atMost: 36), "uuid": free, "epoch": ordinal, "seq": ordinal, "revision": ordinal,
        "is_provisional": free, "type": word, "start_date": free, "end_date": free, "last_update_date": free,
        "duration": duration, "transport_mode": word, "distance_in_meters": distance,
        "carried_in_meters": distance, "distance_error_in_meters": distance,
        "waypoints": list(
            of: [
                "latitude": latitude, "longitude": longitude, "accuracy": accuracy, "timestamp": free,
                "speed": optionalSpeed,
            ], atMost: 1000),
        "location": ["latitude": latitude, "longitude": longitude, "accuracy": accuracy],
        "venue": ["identifier": free, "name": free, "significance": free],
        "reason": word, "tag": free, "driver": driver, "idle_seconds": number(1...3.2e11),
        "driving": [
            "acceleration": count, "braking": count, "cornering": count, "maximum_speed": speed,
            "overspeed_share": share,
        ],
        "beacons": beacons, "is_private": free, "state_lost": free, "withdrawn": free,
    ]

    /// A record that names numbers for which no record comes.
    static let givenUp: MessageForm = [
        "uuid": free, "epoch": ordinal, "seq": ordinal, "timestamp": free,
        "ranges": list(of: ["epoch": ordinal, "from": ordinal, "to": ordinal, "reason": word], atMost: 1000),
    ]
}
