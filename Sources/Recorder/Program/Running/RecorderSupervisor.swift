import OdographSettings

/// Tells the service manager that the recorder records, waits or stops, and feeds its watchdog while the recorder
/// works.
package struct RecorderSupervisor: Sendable {
    private let notifier: SystemdNotifier?

    /// - Parameter notifier: The connection to the service manager; nil if there is none.
    package init(notifier: SystemdNotifier?) { self.notifier = notifier }

    /// Notes that recording begins.
    package func begin() { notifier?.notify(.ready, .status("recording")) }

    /// Notes that the recorder waits for its database. The service is then ready, too: a second recorder waits for as
    /// long as the first one lives, and the boot of its machine must not wait with it.
    package func wait(for failure: DatabaseFailure) {
        notifier?.notify(.ready, .status("waiting for the database: \(failure)"))
    }

    /// Notes that the recorder ends.
    package func stop() { notifier?.notify(.stopping, .status("stopping")) }

    /// Feeds the watchdog until the task is cancelled.
    package func feedWatchdog(of recorder: FleetRecorder) async {
        guard let notifier, let beatSeconds = notifier.watchdogBeatSeconds else { return }
        var lastLine = ""
        while !Task.isCancelled {
            // A recorder whose thread is stuck does not answer. Then the watchdog gets nothing, as intended.
            if await recorder.isWorking() {
                notifier.notify(.watchdog)
                let line = await recorder.statusLine
                if line != lastLine { notifier.notify(.status(line)) }
                lastLine = line
            }
            try? await Task.sleep(for: .seconds(beatSeconds))
        }
    }
}
