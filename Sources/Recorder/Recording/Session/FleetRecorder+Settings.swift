extension FleetRecorder {
    /// The delays before a new attempt to write the database, or to get messages.
    package struct Patience: Sendable {
        /// The upper bound of the first delay, seconds. It doubles with each attempt.
        package var minimumSeconds = 1.0
        /// The upper bound of every delay, seconds.
        package var maximumSeconds = 60.0
        /// The time without a message after which the recorder subscribes again with a filter, seconds.
        package var silenceSeconds = 900.0

        /// Creates the usual delays.
        package init() {}
    }

    /// Functions of the owner that the recorder calls. They must return quickly.
    package struct Hooks: Sendable {
        /// The database is open, and the session with the broker begins; also after an interruption.
        package var begin: @Sendable () -> Void
        /// The database cannot be used any more, and the session with the broker ends. Another recorder may have it.
        package var interrupt: @Sendable () -> Void
        /// The recorder waits for a database that another recorder writes, or that does not respond.
        package var wait: @Sendable (DatabaseFailure) -> Void

        /// Creates hooks.
        package init(
            begin: @escaping @Sendable () -> Void = {}, interrupt: @escaping @Sendable () -> Void = {},
            wait: @escaping @Sendable (DatabaseFailure) -> Void = { _ in }
        ) {
            self.begin = begin
            self.interrupt = interrupt
            self.wait = wait
        }
    }
}
