/// The queries of a database of SQLite.
enum HistorySQL {
    /// The vehicles: ?1 fleet, ?2 device, each NULL for all.
    static let vehicles = """
        SELECT id, fleet, device, time_zone FROM vehicles
        WHERE (?1 IS NULL OR fleet = ?1) AND (?2 IS NULL OR device = ?2) ORDER BY fleet, device
        """

    /// The records of vehicle ?1 after place ?2, ?3, ?4 and before time ?5: only positions if ?6; at most ?7.
    static let records = """
        SELECT \(ArchivedRecord.columnList(of: "records")) FROM records
        WHERE vehicle = ?1 AND time >= ?2 AND (time, epoch, seq) > (?2, ?3, ?4) AND time < ?5
            AND (NOT ?6 OR kind IN ('location', 'geofence'))
        ORDER BY time, epoch, seq LIMIT ?7
        """

    /// The events of vehicle ?1 that overlap the time from ?2 to ?3. Events follow each other, so at most the last one
    /// before ?2 continues in it. Without this limit an event whose end was lost would be in every result.
    static let timeline = """
        SELECT records.payload FROM timeline_events AS event
        JOIN records ON records.vehicle = event.vehicle AND records.epoch = event.epoch AND records.seq = event.seq
        WHERE event.vehicle = ?1 AND NOT event.withdrawn AND event.start_date < ?3
            AND event.start_date >= coalesce((
                SELECT earlier.start_date FROM timeline_events AS earlier
                WHERE earlier.vehicle = ?1 AND earlier.start_date < ?2 AND NOT earlier.withdrawn
                ORDER BY earlier.start_date DESC LIMIT 1), ?2)
            AND (event.start_date >= ?2 OR event.end_date IS NULL OR event.end_date > ?2)
        ORDER BY event.start_date, event.event_id
        """

    /// The trips that begin from ?2 to ?3, with a position of driver ?1.
    static let driverTrips = """
        SELECT vehicles.id, fleet, device, time_zone, records.payload
        FROM vehicles JOIN timeline_events AS event ON event.vehicle = vehicles.id
        JOIN records ON records.vehicle = event.vehicle AND records.epoch = event.epoch AND records.seq = event.seq
        WHERE vehicles.id IN (SELECT vehicle FROM records WHERE driver = ?1)
            AND event.start_date >= ?2 AND event.start_date < ?3 AND NOT event.withdrawn AND event.type = 'IN_TRANSPORT'
            AND EXISTS (SELECT 1 FROM records AS place
                WHERE place.driver = ?1 AND place.vehicle = event.vehicle AND place.time >= event.start_date
                    AND (event.end_date IS NULL OR place.time <= event.end_date))
        ORDER BY event.start_date, fleet, device
        """

    /// The vehicles of fleet ?1, NULL for all, with their newest positions.
    static let latest = """
        SELECT vehicles.id, fleet, device, time_zone, state, last_seen, \(ArchivedRecord.columnList(of: "newest"))
        FROM vehicles LEFT JOIN records AS newest ON newest.id = (
            SELECT candidate.id FROM latest
            JOIN records AS candidate ON candidate.vehicle = latest.vehicle AND candidate.epoch = latest.epoch
                AND candidate.seq = latest.seq
            WHERE latest.vehicle = vehicles.id AND latest.kind IN ('location', 'geofence')
            ORDER BY latest.epoch DESC, latest.seq DESC LIMIT 1)
        WHERE ?1 IS NULL OR fleet = ?1 ORDER BY fleet, device
        """
}
