extension MessageForm {
    /// The payload of `status`.
    static let status: MessageForm = [
        "device_id": free, "state": word, "reason": word, "connection": ordinal, "boot_id": free, "run_id": free,
        "version": free, "timestamp": free, "problems": problems, "budget": budget, "queue": queue,
    ]

    /// The payload of `numbers`.
    static let numbers: MessageForm = ["device_id": free, "epoch": ordinal, "through": ordinal, "id": free]

    /// The records that wait in a vehicle.
    private static let queue: MessageForm = ["depth": count, "oldest": free]

    /// The payload of `reported`.
    static let reported: MessageForm = [
        "device_id": free, "timestamp": free, "agent_version": free, "groups": list(of: free, atMost: 64),
        "levels": levels, "errors": errors, "configuration": free, "configuration_hash": free, "within_schedule": free,
        "time_unknown": free,
        "next_schedule_changes": list(of: ["at": free, "within_schedule": free], atMost: 10),
        "tracking": ["enabled": free, "off_schedule": word, "is_moving": free], "geofences": reportedGeofences,
        "ledger": list(
            of: [
                "epoch": ordinal, "from": ordinal, "to": ordinal, "count": ordinal, "kind": word, "reason": word,
                "at": free,
            ], atMost: 64),
        "queue": queue,
        "receipts": list(
            of: ["recorder": free, "database_id": free, "revision": total, "received_at": free], atMost: 4),
        "time_zone": free, "budget": budget, "certificates": certificates, "features": list(of: word, atMost: 64),
    ]

    /// The ends of certificates.
    private static let certificates: MessageForm = ["vehicle": free, "broker": free, "authority": free]

    private static let levels = list(
        of: [
            "level": free, "version": free, "hash": free, "applied": free, "hash_in_force": free,
            "version_in_force": free,
            "retained": free,
        ], atMost: 100)

    private static let errors = list(of: ["topic": free, "path": free, "value": free, "message": free], atMost: 2100)

    private static let reportedGeofences: MessageForm = [
        "count": count, "hash": free,
        "levels": list(
            of: [
                "level": free, "hash": free, "applied": free, "hash_in_force": free, "count": count,
                "error_count": count,
                "single_count": count,
            ], atMost: 100),
        "errors": list(
            of: ["topic": free, "identifier": free, "path": free, "line": count, "value": free, "message": free],
            atMost: 41),
    ]

    /// The payload of a receipt.
    static let receipt: MessageForm = [
        "database_id": text(atMost: 128), "revision": total, "interval": number(1...86_400),
        "epochs": list(
            of: [
                "epoch": ordinal, "through": total, "missing": list(of: list(of: ordinal, atMost: 2), atMost: 64),
                "safe": total, "partial": free,
            ], atMost: 64),
        "partial": free, "conflicts": total,
    ]

    /// A part of an answer to a request for a timeline.
    package static let historyTimeline: MessageForm = [
        "part": ordinal, "count": total, "omitted": total, "rows": list(of: timelineEvent, atMost: 1_000_000),
    ]

    /// A part of an answer to a request for a track.
    package static let historyTrack: MessageForm = [
        "part": ordinal, "count": total, "omitted": total,
        "rows": list(
            of: [
                "timestamp": free, "epoch": total, "seq": ordinal, "latitude": latitude, "longitude": longitude,
                "accuracy": accuracy, "altitude": altitude, "speed": optionalSpeed, "heading": number(-1...360),
                "is_moving": free, "odometer": distance, "driver": driver, "geofence": free, "action": word,
                "event": word, "clock_untrusted": free, "mock": free,
            ], atMost: 1_000_000),
    ]

    /// The answer to a command: the members of all actions.
    static let response: MessageForm = [
        "id": free, "status": word, "address": free, "error": free, "version": free, "timestamp": free, "broker": free,
        "is_connected": free, "source": free, "source_fixes": total, "source_skipped": map(of: total),
        "accepted_fixes": total, "rejected_fixes": map(of: total), "is_tracking": free, "is_moving": free,
        "odometer": distance, "odometer_error": distance, "location": locationEvent, "driver": driver, "tag": free,
        "is_private": free, "problems": problems, "locations": list(of: locationEvent, atMost: 10_000),
        "store": [
            "path": free, "depth": count, "oldest": free, "seq": total, "epoch": ordinal, "used_bytes": total,
            "given_up": total,
        ],
        "timeline_events": list(of: timelineEvent, atMost: 1000), "more": free, "levels": levels, "errors": errors,
        "configuration": free, "configuration_hash": free, "count": count, "hash": free, "inside": free, "extras": free,
        "geofences": ["count": count, "inside": count], "private": free, "signals": list(of: free, atMost: 64),
        "within": number(0...86_400), "depth": count, "budget": budget,
        "certificates": certificates,
    ]
}
