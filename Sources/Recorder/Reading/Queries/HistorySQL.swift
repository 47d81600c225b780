/// The queries of a database, in the SQL that SQLite and PostgreSQL understand. PostgreSQL takes the
/// type of a parameter from its first comparison, so `IS NULL` comes second.
package enum HistorySQL {
    /// The vehicles: ?1 fleet, ?2 device, each NULL for all.
    static let vehicles = """
        SELECT id, fleet, device, time_zone FROM vehicles
        WHERE (fleet = ?1 OR ?1 IS NULL) AND (device = ?2 OR ?2 IS NULL)
        """

    /// The records of vehicle ?1 after place ?2, ?3, ?4 and before time ?5: only positions if ?6; at most ?7.
    package static func records(_ dialect: SQLDialect, hasPayload: Bool) -> String {
        """
        SELECT \(ArchivedRecord.columnList(of: "records", dialect, hasPayload: hasPayload)) FROM records
        WHERE vehicle = ?1 AND time >= ?2 AND (time, epoch, seq) > (?2, ?3, ?4) AND time < ?5
            AND (NOT ?6 OR kind IN ('location', 'geofence'))
        ORDER BY time, epoch, seq LIMIT ?7
        """
    }

    /// The most events that ``timeline`` gives. A vehicle makes fewer in a year.
    static let maximumEvents = 100_000

    /// The events of vehicle ?1 that overlap the time from ?2 to ?3. Events follow each other, so at most the last one
    /// before ?2 continues in it. Without this limit an event whose end was lost would be in every result.
    static let timeline = """
        SELECT records.payload FROM timeline_events AS event
        \(recordOfEvent)
        WHERE event.vehicle = ?1 AND event.withdrawn = 0 AND event.start_date < ?3
            AND event.start_date >= coalesce((
                SELECT earlier.start_date FROM timeline_events AS earlier
                WHERE earlier.vehicle = ?1 AND earlier.start_date < ?2 AND earlier.withdrawn = 0
                ORDER BY earlier.start_date DESC LIMIT 1), ?2)
            AND (event.start_date >= ?2 OR event.end_date IS NULL OR event.end_date > ?2)
        ORDER BY event.start_date, event.event_id LIMIT \(maximumEvents + 1)
        """

    /// The record of an event. With its time, a server with partitions looks into one of them.
    private static let recordOfEvent = """
        JOIN records ON records.vehicle = event.vehicle AND records.epoch = event.epoch AND records.seq = event.seq
            AND records.time = event.last_update_date
        """

    /// The trips that begin from ?2 to ?3, of driver ?1 or with a position of this driver. A position at the end of a
    /// trip is of what comes after it. A trip whose end was lost lasts until the next event. An entry of PostgreSQL's
    /// index has only the beginning of the name. The vehicles come first, so that only their events are read.
    static let driverTrips = """
        SELECT vehicles.id, fleet, device, time_zone, records.payload
        FROM vehicles JOIN timeline_events AS event ON event.vehicle = vehicles.id
        \(recordOfEvent)
        WHERE vehicles.id IN (
                SELECT vehicle FROM records WHERE driver = ?1 AND substr(driver, 1, 500) = substr(?1, 1, 500)
                UNION
                SELECT vehicle FROM timeline_events WHERE driver = ?1 AND substr(driver, 1, 500) = substr(?1, 1, 500))
            AND event.start_date >= ?2 AND event.start_date < ?3 AND event.withdrawn = 0
            AND event.type = 'IN_TRANSPORT'
            AND (event.driver = ?1 AND substr(event.driver, 1, 500) = substr(?1, 1, 500)
                OR EXISTS (SELECT 1 FROM records AS place
                WHERE place.driver = ?1 AND substr(place.driver, 1, 500) = substr(?1, 1, 500)
                    AND place.vehicle = event.vehicle AND place.time >= event.start_date
                    AND (place.time < event.end_date OR event.end_date IS NULL AND NOT EXISTS (
                        SELECT 1 FROM timeline_events AS later
                        WHERE later.vehicle = event.vehicle AND later.start_date > event.start_date
                            AND later.start_date <= place.time AND later.withdrawn = 0))))
        """

    /// The drivers of the positions of vehicle ?1 from ?2 to before ?3, at most ?4.
    static let drivers = """
        SELECT DISTINCT driver FROM records
        WHERE vehicle = ?1 AND time >= ?2 AND time < ?3 AND driver IS NOT NULL ORDER BY driver LIMIT ?4
        """

    /// The vehicles of fleet ?1, NULL for all, with their newest positions.
    static func latest(_ dialect: SQLDialect, hasPayload: Bool) -> String {
        let condition = """
            vehicle = number.vehicle AND epoch = number.epoch AND seq = number.seq AND time = number.time
            """
        // A planner that does not know how few records match would read all of them; the limit does not allow it.
        let record =
            switch dialect {
            case .sqlite: "records AS newest ON newest.id = (SELECT id FROM records WHERE \(condition))"
            case .postgreSQL: "LATERAL (SELECT * FROM records WHERE \(condition) LIMIT 1) AS newest ON true"
            }
        return """
            SELECT vehicles.id, fleet, device, time_zone, state, last_seen,
                \(ArchivedRecord.columnList(of: "newest", dialect, hasPayload: hasPayload))
            FROM vehicles
            LEFT JOIN latest AS number ON number.vehicle = vehicles.id AND number.kind IN ('location', 'geofence')
                AND NOT EXISTS (SELECT 1 FROM latest AS other
                    WHERE other.vehicle = number.vehicle AND other.kind IN ('location', 'geofence')
                        AND \(dialect.isNewer("other", than: "number")))
            LEFT JOIN \(record)
            WHERE fleet = ?1 OR ?1 IS NULL
            """
    }
}
