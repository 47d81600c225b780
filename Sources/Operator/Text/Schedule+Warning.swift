import OdographCrontab

extension Schedule {
    /// What is probably a mistake in a tracking schedule; nil if nothing is.
    package var warning: String? {
        guard hasOnlySingleMinutes else { return nil }
        return "the schedule has windows of one minute only (\(englishDescription)); for whole hours write \"*\" in "
            + "the first field"
    }
}
