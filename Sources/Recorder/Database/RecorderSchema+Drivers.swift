extension RecorderSchema {
    /// The driver of timeline events, and the time in which the engine ran at a halt. The view is created again, because
    /// a view of PostgreSQL has the columns of its creation only.
    static let drivers = """
        -- The driver of the event that a program on the vehicle has set.
        ALTER TABLE timeline_events ADD COLUMN driver TEXT;
        -- The time in which the engine ran at a halt, seconds.
        ALTER TABLE timeline_events ADD COLUMN idle_seconds REAL;
        CREATE INDEX timeline_events_by_driver ON timeline_events (driver, vehicle, start_date)
            WHERE driver IS NOT NULL;
        DROP VIEW timeline;
        CREATE VIEW timeline AS
        SELECT fleet, device, timeline_events.*
        FROM timeline_events JOIN vehicles ON vehicles.id = timeline_events.vehicle
        WHERE withdrawn = 0;
        """
}
