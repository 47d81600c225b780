/// The statements of an erasure in a database of SQLite. Parameters: ?1 vehicle, ?2 and ?3 the ends of the time, ?4 the
/// driver, NULL for all records of the vehicle.
enum ErasureSQL {
    /// The vehicles with positions of driver ?1.
    static let vehiclesOfDriver = """
        SELECT id, fleet, device, time_zone FROM vehicles
        WHERE id IN (SELECT vehicle FROM records WHERE driver = ?1)
            OR instr(reported, json_quote(?1)) > 0 OR instr(reported, '"driver":' || ?1) > 0
            OR id IN (SELECT vehicle FROM conflicts
                WHERE instr(payload, json_quote(?1)) > 0 OR instr(payload, '"driver":' || ?1) > 0)
            OR EXISTS (SELECT 1 FROM rejected
                WHERE instr(payload, CAST(json_quote(?1) AS BLOB)) > 0 AND instr(topic, '/' || fleet || '/' || device || '/') > 0)
        ORDER BY fleet, device
        """

    /// The events to erase, in a table in memory.
    static let beginEvents = """
        CREATE TEMP TABLE IF NOT EXISTS erased_events (event_id TEXT PRIMARY KEY) WITHOUT ROWID;
        DELETE FROM erased_events
        """

    /// Selects the events that overlap the time. An event without an end lasts until its last revision.
    static let selectEvents = """
        INSERT INTO erased_events SELECT event_id FROM timeline_events
        WHERE vehicle = ?1 AND start_date < ?3 AND coalesce(end_date, last_update_date) >= ?2
        """

    /// Selects the events during which there is a position of the driver.
    static let selectDriverEvents = """
        INSERT INTO erased_events SELECT event_id FROM timeline_events AS event
        WHERE vehicle = ?1 AND EXISTS (
            SELECT 1 FROM records
            WHERE driver = ?4 AND records.vehicle = ?1 AND time >= max(event.start_date, ?2) AND time < ?3
                AND time <= coalesce(event.end_date, event.last_update_date))
        """

    static let deletePositions = """
        DELETE FROM records
        WHERE vehicle = ?1 AND time >= ?2 AND time < ?3 AND kind IN ('location', 'geofence')
            AND (?4 IS NULL OR driver = ?4)
        """

    static let deleteRevisions = """
        DELETE FROM records
        WHERE vehicle = ?1 AND kind = 'timeline' AND subject IN (SELECT event_id FROM erased_events)
        """

    /// Removes what is left of a whole vehicle: given-up records, and revisions without an event.
    static let deleteRest = "DELETE FROM records WHERE vehicle = ?1"

    static let deleteEvents = """
        DELETE FROM timeline_events WHERE vehicle = ?1 AND event_id IN (SELECT event_id FROM erased_events)
        """

    /// Conflicts go with their records; also those that are of the time, or contain the driver, themselves.
    static let deleteConflicts = """
        DELETE FROM conflicts
        WHERE vehicle = ?1 AND (
            NOT EXISTS (SELECT 1 FROM records WHERE records.vehicle = conflicts.vehicle
                AND records.epoch = conflicts.epoch AND records.seq = conflicts.seq)
            OR ?4 IS NOT NULL
                AND (instr(payload, json_quote(?4)) > 0 OR instr(payload, '"driver":' || ?4) > 0)
            OR ?4 IS NULL AND CASE WHEN json_valid(payload) THEN json_extract(payload, '$.location.timestamp') >= ?2
                AND json_extract(payload, '$.location.timestamp') < ?3 END
            OR CASE WHEN json_valid(payload) THEN json_extract(payload, '$.timeline_event.event_id') END
                IN (SELECT event_id FROM erased_events))
        """

    /// Rejected messages have no certain time: all of the vehicle, or those that contain the driver.
    static let deleteRejected = """
        DELETE FROM rejected
        WHERE EXISTS (SELECT 1 FROM vehicles
                WHERE id = ?1 AND instr(topic, '/' || fleet || '/' || device || '/') > 0)
            AND (?4 IS NULL OR instr(payload, CAST(json_quote(?4) AS BLOB)) > 0)
        """

    /// Notifications of the vehicle that wait: each can contain a position, and none says of which driver it is.
    static let deleteNotifications = "DELETE FROM notifications WHERE vehicle = ?1"

    /// Episodes of rules, if all that is known about the vehicle is erased.
    static let deleteEpisodes = "DELETE FROM rule_episodes WHERE vehicle = ?1"

    static let deleteLatest = "DELETE FROM latest WHERE vehicle = ?1"

    /// Finds the newest record of kind ?2.
    static let insertLatest = """
        INSERT INTO latest (vehicle, kind, epoch, seq)
        SELECT vehicle, kind, epoch, seq FROM records WHERE vehicle = ?1 AND kind = ?2
        ORDER BY epoch DESC, seq DESC LIMIT 1
        """

    /// Removes the state of a vehicle; its row stays, because runs and ledger refer to it.
    static let clearState = """
        UPDATE vehicles SET state = NULL, state_reason = NULL, state_time = NULL, session = NULL, problems = NULL,
            agent_version = NULL, queue_depth = NULL, report_time = NULL, status = NULL, reported = NULL
        WHERE id = ?1
        """

    /// Removes a report that contains the driver, such as in the extras of the configuration.
    static let clearReport = """
        UPDATE vehicles SET reported = NULL
        WHERE id = ?1 AND (instr(reported, json_quote(?4)) > 0 OR instr(reported, '"driver":' || ?4) > 0)
        """

    static let insertErasure = """
        INSERT INTO erasures (time, fleet, device, by_driver, from_time, to_time, positions, revisions, events,
            conflicts, rejected)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """
}
