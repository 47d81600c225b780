import OdographCrontab

extension Schedule {
    /// The probable mistakes in a tracking schedule, one sentence with the key each.
    package var warnings: [String] {
        guard hasOnlySingleMinutes else { return [] }
        let sentence =
            "tracking.schedule: the schedule has single minutes only (\(englishDescription)); for whole hours "
            + "write \"*\" in the first field"
        return [sentence]
    }
}
