extension RecorderSchema {
    /// The numbers before the first record of a vehicle are no open gap: they are from before the recorder's time.
    static let gaps = """
        -- The missing numbers that are in no given-up record and no ledger entry: they wait in the vehicle, or are
        -- lost. The numbers before the first record of a vehicle's first epoch do not count: they are from before the
        -- recorder's time.
        DROP VIEW open_gaps;
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
