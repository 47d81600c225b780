import OdographCivilTime
import OdographCrontab
import OdographLink
import OdographJSON
import OdographModel
import OdographPositioning
import OdographSettings
import OdographStore
import OdographThreads
import OdographTracking
import OdographWire

/// Publishes `reported`: on every connection, and when its content has changed.
actor ReportPublisher {
    /// The minimum time between two reports, milliseconds.
    private static let minimumIntervalMilliseconds: Int64 = 1000
    /// The time between two checks for changes without a notification (records dropped for lack of room, the depth of
    /// the queue), milliseconds.
    private static let maximumIntervalMilliseconds: Int64 = 300_000

    private let address: DeviceAddress
    private let store: AgentStore
    private let pipeline: InputPipeline
    private let remote: RemoteConfiguration
    private let geofences: RemoteGeofences
    private let publisher: Publisher
    private let client: MQTTClient
    private let credentials: VehicleCredentials
    private let clock: any AgentClock
    /// The name of the machine's zone; nil if it has none.
    private var machineZone: String?
    private var lastReport: ReportedMessage?

    private let changeSignal = CoalescingSignal()

    init(
        address: DeviceAddress, store: AgentStore, pipeline: InputPipeline, remote: RemoteConfiguration,
        geofences: RemoteGeofences, publisher: Publisher, client: MQTTClient, credentials: VehicleCredentials,
        clock: any AgentClock
    ) {
        self.address = address
        self.store = store
        self.pipeline = pipeline
        self.remote = remote
        self.geofences = geofences
        self.publisher = publisher
        self.client = client
        self.credentials = credentials
        self.clock = clock
        machineZone = Self.machineZone()
    }

    /// Returns the name of the machine's zone, with which others find the same rules; nil if it has none.
    private static func machineZone() -> String? {
        guard let name = try? ZoneDirectory.system.systemRules().identifier else { return nil }
        return (try? ZoneDirectory.system.rules(named: name)) == nil ? nil : name
    }

    /// Publishes a report if the machine has another zone.
    func refreshMachineZone() {
        let new = Self.machineZone()
        guard new != machineZone else { return }
        machineZone = new
        changeSignal.send()
    }

    nonisolated func requestReport() { changeSignal.send() }

    /// Publishes a report also without a change: on a new connection the broker may have lost the last one.
    func publishAgain() {
        lastReport = nil
        changeSignal.send()
    }

    /// Publishes reports until the task is cancelled.
    func run() async {
        let timer = Task { [clock, changeSignal] in
            await clock.repeatAction(everyMilliseconds: Self.maximumIntervalMilliseconds) { changeSignal.send() }
        }
        defer { timer.cancel() }
        for await _ in changeSignal.stream {
            guard var report = try? await report(), lastReport.map({ report.differsSignificantly(from: $0) }) ?? true
            else { continue }
            if report.configurationHash == lastReport?.configurationHash { report.configuration = nil }
            lastReport = report
            publish(report)
            let next = clock.now().uptimeMilliseconds + Self.minimumIntervalMilliseconds
            do { try await clock.sleep(untilUptimeMilliseconds: next) } catch { return }
        }
    }

    private func publish(_ report: ReportedMessage) {
        let payload = JSONCoder.payload(of: report).bytes
        client.publish([
            OutgoingMessage(
                topic: address.topic(.reported), payload: payload, isRetained: UplinkChannel.reported.isRetained)
        ])
    }

    private func report() async throws -> ReportedMessage {
        machineZone = Self.machineZone()
        let outcome = await remote.outcome
        let schedule = await pipeline.scheduleReport
        let statistics = try await store.statistics()
        await publisher.checkBudget()
        return ReportedMessage(
            deviceID: address.device, timestamp: clock.now().systemTime, agentVersion: Build.version,
            groups: outcome.groups.isEmpty ? nil : outcome.groups, levels: outcome.levels, errors: outcome.errors,
            configuration: outcome.document,
            configurationHash: SHA256.hexDigest(of: try JSONCoder.bytes(of: outcome.document)),
            withinSchedule: schedule.isWithin, isTimeUnknown: schedule.isTimeKnown ? nil : true,
            timeZone: outcome.document["tracking"]?["time_zone"]?.text ?? machineZone,
            nextScheduleChanges: schedule.nextChanges.map { ScheduleChange(at: $0.instant, withinSchedule: $0.isOpen) },
            tracking: TrackingState(
                isEnabled: await pipeline.isTrackingEnabled,
                offSchedule: schedule.offSchedule.map(TrackingState.OffScheduleMode.init),
                isMoving: await pipeline.isMoving),
            geofences: await geofences.report, ledger: await store.ledger().map(LedgerRange.init),
            queue: QueueState(depth: statistics.depth, oldest: statistics.oldest),
            receipts: await publisher.reportedReceipts, budget: await publisher.budgetState,
            certificates: credentials.ends, features: [.receipts, .compact])
    }
}

extension LedgerRange {
    /// Creates the wire form of a ledger entry.
    fileprivate init(_ entry: LedgerEntry) {
        self.init(
            epoch: entry.epoch, from: entry.fromSeq, to: entry.toSeq, count: entry.count,
            kind: entry.kind.map { Kind($0.channel) }, reason: Reason(entry.reason), at: entry.at)
    }
}
