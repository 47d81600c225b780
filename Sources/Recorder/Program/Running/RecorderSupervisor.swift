import OdographSettings

/// Tells the service manager that the recorder records, waits or stops, and feeds its watchdog while the recorder
/// works.
package struct RecorderSupervisor: Sendable {
    private static let waiting = "waiting for the database"
    /// The time between two looks at the state, seconds.
    private static let lookSeconds = 2.0

    private let notifier: SystemdNotifier?

    /// - Parameter notifier: The connection to the service manager; nil if there is none.
    package init(notifier: SystemdNotifier?) { self.notifier = notifier }

    /// Notes that recording begins.
    package func begin() { notifier?.notify(.ready, .status("recording")) }

    /// Notes that the recorder waits for its database. The service is then ready, too: a second recorder waits for as
    /// long as the first one lives, and the boot of its machine must not wait with it.
    package func wait(for failure: DatabaseFailure) {
        notifier?.notify(.ready, .status("\(Self.waiting): \(failure)"))
    }

    /// Returns whether a line of the state says that the recorder cannot write. One that waits for another recorder
    /// can.
    static func isIdle(_ line: String) -> Bool {
        (line.hasPrefix(waiting) || line.hasPrefix(FleetRecorder.withoutDatabase))
            && !line.hasSuffix(DatabaseFailure.heldByOther)
    }

    /// Notes that the recorder ends.
    package func stop() { notifier?.notify(.stopping, .status("stopping")) }

    /// Feeds the watchdog and tells the state until the task is cancelled.
    package func feedWatchdog(of recorder: FleetRecorder) async {
        guard let notifier, let beatSeconds = notifier.watchdogBeatSeconds else { return }
        async let telling: Void = tellState(of: recorder, to: notifier)
        while !Task.isCancelled {
            // A recorder whose thread is stuck does not answer. Then the watchdog gets nothing, as intended.
            if await recorder.isWorking() { notifier.notify(.watchdog) }
            try? await Task.sleep(for: .seconds(beatSeconds))
        }
        await telling
    }

    /// Tells each change of the state until the task is cancelled.
    private func tellState(of recorder: FleetRecorder, to notifier: SystemdNotifier) async {
        var lastLine: String?
        while !Task.isCancelled {
            let line = await recorder.statusLine
            if let line, line != lastLine { notifier.notify(.status(line)) }
            lastLine = line
            try? await Task.sleep(for: .seconds(Self.lookSeconds))
        }
    }
}
