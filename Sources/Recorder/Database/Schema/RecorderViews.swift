/// The views for people and other programs, on the tables of both kinds of databases.
enum RecorderViews {
    /// Returns the statements that create them.
    static func sql(_ dialect: SQLDialect) -> String {
        """
        CREATE VIEW timeline AS
        SELECT fleet, device, timeline_events.*
        FROM timeline_events JOIN vehicles ON vehicles.id = timeline_events.vehicle
        WHERE withdrawn = 0;

        CREATE VIEW positions AS
        SELECT fleet, device, records.*
        FROM records JOIN vehicles ON vehicles.id = records.vehicle
        WHERE kind IN ('location', 'geofence');

        -- Each range of missing numbers, with the reasons of the given-up records and ledger entries that overlap it:
        -- of an epoch the first 20 reasons by name. For each reason one pass over the numbers finds how far its entries
        -- reach at the end of a range, so the work grows as the number of ranges and entries.
        CREATE VIEW gaps AS
        WITH known AS (
            SELECT vehicle, epoch, first, last, reason
            FROM (SELECT stated.*, dense_rank() OVER (PARTITION BY vehicle, epoch ORDER BY reason) AS place
                  FROM (SELECT vehicle, epoch, first, last, reason FROM ledger
                        UNION ALL SELECT vehicle, epoch, first, last, reason FROM given_up) AS stated) AS ranked
            WHERE place <= 20
        ), hole AS (
            SELECT * FROM (
                SELECT vehicle, epoch,
                       lag(stored.last, 1, 0) OVER (PARTITION BY vehicle, epoch ORDER BY stored.first) + 1 AS first,
                       stored.first - 1 AS last
                FROM (SELECT vehicle, epoch, first, last FROM runs
                      UNION ALL SELECT vehicle, epoch, max(last) + 1, NULL FROM covered GROUP BY vehicle, epoch
                     ) AS stored) AS space
            WHERE first <= last
        ), asked AS (
            SELECT vehicle, epoch, reason, first AS place, 0 AS is_hole, NULL AS first, last AS reach FROM known
            UNION ALL
            SELECT hole.vehicle, hole.epoch, named.reason, hole.last, 1, hole.first, NULL
            FROM hole LEFT JOIN (SELECT DISTINCT vehicle, epoch, reason FROM known) AS named
                ON named.vehicle = hole.vehicle AND named.epoch = hole.epoch
        ), answered AS (
            SELECT asked.*, max(reach) OVER (PARTITION BY vehicle, epoch, reason ORDER BY place, is_hole
                                             ROWS UNBOUNDED PRECEDING) >= first AS is_known
            FROM asked)
        SELECT fleet, device, vehicle, epoch, first, place AS last,
               \(dialect.joined(distinct: "CASE WHEN is_known THEN reason END")) AS reasons
        FROM answered JOIN vehicles ON vehicles.id = answered.vehicle
        WHERE is_hole = 1
        GROUP BY fleet, device, vehicle, epoch, first, place;

        -- The missing numbers that are in no given-up record and no ledger entry: they wait in the vehicle, or are
        -- lost. The numbers before the first record of a vehicle's first epoch do not count: they are from before the
        -- recorder's time.
        CREATE VIEW open_gaps AS
        WITH known AS (
            SELECT vehicle, epoch, first, last FROM covered
            UNION ALL SELECT vehicle, epoch, first, last FROM ledger
        ), ordered AS (
            SELECT *, coalesce(max(last) OVER (PARTITION BY vehicle, epoch ORDER BY first
                                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached
            FROM known)
        SELECT fleet, device, vehicle, epoch, reached + 1 AS first, ordered.first - 1 AS last
        FROM ordered JOIN vehicles ON vehicles.id = ordered.vehicle
        WHERE ordered.first > reached + 1
            AND (reached > 0 OR epoch > (SELECT min(epoch) FROM covered WHERE covered.vehicle = ordered.vehicle));
        """
    }
}
