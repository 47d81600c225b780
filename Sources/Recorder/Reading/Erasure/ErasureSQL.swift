/// The statements of an erasure, in the SQL of a kind of database.
struct ErasureSQL {
    let dialect: SQLDialect

    /// The vehicles with positions or events of driver ?1, or with texts that contain the name as ?2 or ?3, or as bytes
    /// ?4 or ?5.
    var vehiclesOfDriver: String {
        """
        SELECT id, fleet, device, time_zone FROM vehicles
        WHERE id IN (SELECT vehicle FROM records
                WHERE driver = ?1 AND substr(driver, 1, 500) = substr(?1, 1, 500))
            OR id IN (SELECT vehicle FROM timeline_events
                WHERE driver = ?1 AND substr(driver, 1, 500) = substr(?1, 1, 500))
            OR \(dialect.contains("reported", "?2")) OR \(dialect.contains("reported", "?3"))
            OR id IN (SELECT vehicle FROM conflicts
                WHERE \(dialect.contains("payload", "?2")) OR \(dialect.contains("payload", "?3")))
            OR EXISTS (SELECT 1 FROM rejected
                WHERE (\(dialect.contains(bytes: "payload", "?4")) OR \(dialect.contains(bytes: "payload", "?5")))
                    AND \(dialect.contains("topic", "'/' || fleet || '/' || device || '/'")))
        """
    }

    /// The events and the single revisions to erase, in tables of the connection.
    static let beginSelection = """
        CREATE TEMP TABLE IF NOT EXISTS events_to_erase (event_id TEXT PRIMARY KEY);
        CREATE TEMP TABLE IF NOT EXISTS revisions_to_erase (epoch BIGINT, seq BIGINT, PRIMARY KEY (epoch, seq));
        DELETE FROM events_to_erase; DELETE FROM revisions_to_erase
        """

    /// Selects the events of vehicle ?1 that overlap the time from ?2 to ?3. An event without an end lasts until its
    /// last revision.
    static let selectEvents = """
        INSERT INTO events_to_erase SELECT event_id FROM timeline_events
        WHERE vehicle = ?1 AND start_date < ?3 AND coalesce(end_date, last_update_date) >= ?2
        """

    /// Selects the events of vehicle ?1 that overlap the time from ?2 to ?3 and are of driver ?4, and those during
    /// which there is a position of this driver in that time.
    static let selectDriverEvents = """
        INSERT INTO events_to_erase SELECT event_id FROM timeline_events AS event
        WHERE vehicle = ?1 AND (driver = ?4 AND start_date < ?3 AND coalesce(end_date, last_update_date) >= ?2
            OR EXISTS (
                SELECT 1 FROM records
                WHERE records.driver = ?4 AND substr(records.driver, 1, 500) = substr(?4, 1, 500)
                    AND records.vehicle = ?1
                    AND time >= event.start_date AND time >= ?2 AND time < ?3
                    AND time <= coalesce(event.end_date, event.last_update_date)))
        """

    /// Notes the partitions with records that are erased: of vehicle ?1 the positions from ?2 to ?3, all or those of
    /// driver ?4, and the selected revisions; all records if ?5 is 1. The smaller tables can have erased rows in each
    /// case, so there is always a name. For PostgreSQL.
    static let insertRewrites = """
        INSERT INTO tables_to_rewrite (name)
        SELECT DISTINCT CAST(CAST(tableoid AS regclass) AS text) FROM records
        WHERE vehicle = ?1 AND (?5 = 1
            OR kind IN ('location', 'geofence') AND time >= ?2 AND time < ?3 AND (driver = ?4 OR ?4 IS NULL)
            OR kind = 'timeline' AND (subject IN (SELECT event_id FROM events_to_erase)
                OR (epoch, seq) IN (SELECT epoch, seq FROM revisions_to_erase)))
        UNION SELECT 'records_other' ON CONFLICT DO NOTHING
        """

    /// Removes the positions of vehicle ?1 from ?2 to ?3: all, or those of driver ?4.
    static let deletePositions = """
        DELETE FROM records
        WHERE vehicle = ?1 AND time >= ?2 AND time < ?3 AND kind IN ('location', 'geofence')
            AND (driver = ?4 OR ?4 IS NULL)
        """

    /// The revisions of vehicle ?1 after number ?2, ?3, at most ?4.
    static let revisions = """
        SELECT epoch, seq, payload FROM records
        WHERE vehicle = ?1 AND (epoch, seq) > (?2, ?3) AND kind = 'timeline' ORDER BY epoch, seq LIMIT ?4
        """

    /// Selects a revision.
    static let insertRevision = "INSERT INTO revisions_to_erase (epoch, seq) VALUES (?1, ?2)"

    /// Finds a position of driver ?2 with vehicle ?1 from ?3 to ?4, and from ?5 to before ?6.
    static let positionOfDriver = """
        SELECT 1 FROM records
        WHERE driver = ?2 AND substr(driver, 1, 500) = substr(?2, 1, 500) AND vehicle = ?1
            AND time >= ?3 AND time <= ?4 AND time >= ?5 AND time < ?6 LIMIT 1
        """

    /// Removes the selected revisions of vehicle ?1, and all those of the selected events.
    static let deleteRevisions = """
        DELETE FROM records
        WHERE vehicle = ?1 AND kind = 'timeline' AND (subject IN (SELECT event_id FROM events_to_erase)
            OR (epoch, seq) IN (SELECT epoch, seq FROM revisions_to_erase))
        """

    /// Removes what is left of whole vehicle ?1: given-up records, and revisions without an event.
    static let deleteRest = "DELETE FROM records WHERE vehicle = ?1"

    /// Removes the selected events of vehicle ?1.
    static let deleteEvents = """
        DELETE FROM timeline_events WHERE vehicle = ?1 AND event_id IN (SELECT event_id FROM events_to_erase)
        """

    /// The selected events.
    static let selectedEvents = "SELECT event_id FROM events_to_erase"

    /// Removes the rejected messages of vehicle ?1, which have no certain time: all, or those that contain bytes ?2 or
    /// ?3.
    var deleteRejected: String {
        """
        DELETE FROM rejected
        WHERE EXISTS (SELECT 1 FROM vehicles
                WHERE id = ?1 AND \(dialect.contains("topic", "'/' || fleet || '/' || device || '/'")))
            AND (\(dialect.contains(bytes: "payload", "?2")) OR \(dialect.contains(bytes: "payload", "?3"))
                OR ?2 IS NULL)
        """
    }

    /// Notifications of vehicle ?1 that wait: each can contain a position, and none says of which driver it is.
    static let deleteNotifications = "DELETE FROM notifications WHERE vehicle = ?1"

    /// Alerts of vehicle ?1: each can name a place, and none says of which driver it is.
    static let deleteAlerts = "DELETE FROM alerts WHERE vehicle = ?1"

    /// Episodes of rules of vehicle ?1, if all that is known about the vehicle is erased.
    static let deleteEpisodes = "DELETE FROM rule_episodes WHERE vehicle = ?1"

    /// Removes the state of vehicle ?1; its row stays, because runs and ledger refer to it.
    static let clearState = """
        UPDATE vehicles SET state = NULL, state_reason = NULL, state_time = NULL, connection = NULL, problems = NULL,
            agent_version = NULL, queue_depth = NULL, report_time = NULL, status = NULL, reported = NULL
        WHERE id = ?1
        """

    /// Removes the report of vehicle ?1 if it contains texts ?2 or ?3, such as in the extras of the configuration.
    var clearReport: String {
        """
        UPDATE vehicles SET reported = NULL
        WHERE id = ?1 AND (\(dialect.contains("reported", "?2")) OR \(dialect.contains("reported", "?3")))
        """
    }

    /// Forgets the erased times of vehicle ?1 that the time from ?2 to ?3 contains.
    static let deleteTimes = "DELETE FROM erased_times WHERE vehicle = ?1 AND from_time >= ?2 AND to_time <= ?3"

    /// Stores the erased time of vehicle ?1.
    static let insertTime = "INSERT INTO erased_times (vehicle, from_time, to_time) VALUES (?1, ?2, ?3)"

    /// Stores the selected events of vehicle ?1 as erased.
    static let insertEvents = """
        INSERT INTO erased_events (vehicle, event_id) SELECT ?1, event_id FROM events_to_erase
        WHERE event_id NOT IN (SELECT event_id FROM erased_events WHERE vehicle = ?1)
        """

    /// Stores the entry of the log.
    static let insertErasure = """
        INSERT INTO erasures (time, fleet, device, by_driver, from_time, to_time, positions, revisions, events,
            conflicts, rejected)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """
}
