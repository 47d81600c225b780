import OdographCivilTime
import OdographHTTP
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The evaluation of rules")
struct RuleEngineTests {
    let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
    let origin = ContinuousClock.now
    let vehicle = RuleVehicle(key: 7, fleet: "acme", device: "van-7")

    func rule(
        _ condition: RuleCondition, name: String = "r", fleet: String? = nil, device: String? = nil,
        notifiesEnd: Bool = true, lateSeconds: Double = 3600
    ) -> Rule {
        Rule(
            name: name, condition: condition, fleet: fleet, device: device, target: .command(["/bin/true"]),
            notifiesEnd: notifiesEnd, lateSeconds: lateSeconds)
    }

    func moment(_ seconds: Double) -> RuleMoment {
        RuleMoment(date: start.advanced(bySeconds: seconds), instant: origin + .seconds(seconds))
    }

    func record(
        _ seq: Int64, at seconds: Double, speed: Double = 10, isMoving: Bool = true, isUndated: Bool = false
    ) -> LocationEvent {
        LocationEvent(
            uuid: "u\(seq)", epoch: 3, seq: seq, timestamp: start.advanced(bySeconds: seconds),
            clockUntrusted: isUndated ? true : nil, age: 0, isMoving: isMoving, odometer: 0, odometerError: 0,
            coords: LocationCoordinates(latitude: 40, longitude: -3, accuracy: 4, speed: speed, heading: -1),
            activity: ActivityReading(type: .inVehicle, confidence: 90))
    }

    func crossing(
        _ action: GeofenceTrigger.Action, of identifier: String = "depot", at seconds: Double,
        reason: GeofenceTrigger.Reason? = nil
    ) -> LocationEvent {
        let time = start.advanced(bySeconds: seconds)
        var event = record(Int64(seconds), at: seconds)
        event.event = .geofence
        event.geofence = GeofenceTrigger(identifier: identifier, action: action, occurredAt: time, confirmedAt: time)
        event.geofence?.reason = reason
        return event
    }

    private func status(
        _ state: StatusMessage.State, _ reason: StatusMessage.Reason, connection: Int64, at seconds: Double
    ) -> StatusMessage {
        StatusMessage(
            deviceID: "van-7", state: state, reason: reason, connection: connection, bootID: "b", runID: "r",
            version: "1",
            timestamp: start.advanced(bySeconds: seconds))
    }

    private func report(
        at seconds: Double, errors: Int = 0, isEnabled: Bool = true, mode: TrackingState.OffScheduleMode? = nil,
        isOpen: Bool = true, changes: [(Double, Bool)] = [], heartbeat: Int64? = nil
    ) -> ReportedMessage {
        let error = ReportedConfigurationError(topic: "t", path: "tracking.x", value: "\"40.1,-3.2\"", message: "m")
        return ReportedMessage(
            deviceID: "van-7", timestamp: start.advanced(bySeconds: seconds), agentVersion: "1", levels: [],
            errors: [ReportedConfigurationError](repeating: error, count: errors),
            configuration: heartbeat.map { .object(["tracking": .object(["heartbeat_interval": .integer($0)])]) },
            configurationHash: "h", withinSchedule: isOpen,
            nextScheduleChanges: changes.map {
                ScheduleChange(at: start.advanced(bySeconds: $0.0), withinSchedule: $0.1)
            },
            tracking: TrackingState(isEnabled: isEnabled, offSchedule: mode, isMoving: nil),
            geofences: ReportedGeofences(), ledger: [], queue: QueueState(depth: 0, oldest: nil), features: [])
    }

    /// Returns the phases of notifications of silence while time goes on by minutes.
    private func silence(_ engine: inout RuleEngine, minutes: ClosedRange<Int>) -> [Int] {
        minutes.filter {
            !engine.findSilence(at: moment(Double($0) * 60), connectedSince: origin).notifications.isEmpty
        }
    }

    // MARK: - Silence

    @Test("A moving vehicle is silent once after the time, and its next record ends that")
    func silent() throws {
        var engine = RuleEngine(rules: [rule(.silent(seconds: 600))])
        _ = engine.handle(record(1, at: 60), of: vehicle, at: moment(60))
        #expect(silence(&engine, minutes: 2...60) == [11])
        let end = engine.handle(record(2, at: 3660), of: vehicle, at: moment(3660))
        #expect(end.notifications.map(\.phase) == [.end])
        #expect(end.episodes == [EpisodeKey(rule: "r", vehicle: 7): nil])
        #expect(silence(&engine, minutes: 62...80) == [71])
        // A restart with the stored episode does not repeat it.
        var state = RuleVehicleState(vehicle)
        state.isMoving = true
        var restarted = RuleEngine(rules: engine.rules, vehicles: [state], episodes: engine.episodes)
        #expect(silence(&restarted, minutes: 80...200) == [])
        #expect(restarted.handle(record(3, at: 9000), of: vehicle, at: moment(12_001)).notifications.count == 1)
    }

    @Test("Silence counts only while the recorder is connected, and not for other vehicles of a filter")
    func connection() {
        var engine = RuleEngine(rules: [rule(.silent(seconds: 600), fleet: "acme", device: "van-7")])
        let other = RuleVehicle(key: 8, fleet: "acme", device: "van-8")
        for vehicle in [vehicle, other] { _ = engine.handle(record(1, at: 0), of: vehicle, at: moment(0)) }
        #expect(engine.findSilence(at: moment(7200), connectedSince: nil).isEmpty)
        let since = origin + .seconds(7000)
        #expect(engine.findSilence(at: moment(7599), connectedSince: since).isEmpty)
        #expect(engine.findSilence(at: moment(7600), connectedSince: since).notifications.map(\.device) == ["van-7"])
        #expect(engine.silentCount(at: moment(7000 + 3599), connectedSince: since) == 0)
        #expect(engine.silentCount(at: moment(7000 + 3600), connectedSince: since) == 2)
    }

    @Test("A clean stop is no silence; a lost connection is, and the last will is no sign of life")
    func stops() {
        for (reason, expected) in [(StatusMessage.Reason.stopped, []), (.connectionLost, [11])] {
            var engine = RuleEngine(rules: [rule(.silent(seconds: 600))])
            _ = engine.handle(status(.online, .connected, connection: 1, at: 0), of: vehicle, at: moment(0))
            _ = engine.handle(record(1, at: 60), of: vehicle, at: moment(60))
            _ = engine.handle(status(.offline, reason, connection: 1, at: 0.5), of: vehicle, at: moment(300))
            #expect(silence(&engine, minutes: 6...100) == expected, "\(reason)")
        }
    }

    @Test("What the broker sends again is no sign of life")
    func retained() {
        var engine = RuleEngine(rules: [rule(.silent(seconds: 600))])
        let (online, report) = (status(.online, .connected, connection: 4, at: 0), report(at: 0))
        _ = engine.handle(record(1, at: 0), of: vehicle, at: moment(0))
        _ = engine.handle(online, of: vehicle, at: moment(0))
        _ = engine.handle(report, of: vehicle, at: moment(0))
        #expect(silence(&engine, minutes: 1...20) == [10])
        #expect(engine.handle(online, of: vehicle, at: moment(1300)).isEmpty)
        #expect(engine.handle(report, of: vehicle, at: moment(1300)).isEmpty)
        let next = status(.online, .connected, connection: 5, at: 1301)
        #expect(engine.handle(next, of: vehicle, at: moment(1301)).notifications.map(\.phase) == [.end])
    }

    @Test("A vehicle with a new disk, whose sessions begin again, can be silent as before")
    func newDisk() {
        var engine = RuleEngine(rules: [rule(.silent(seconds: 600))])
        _ = engine.handle(status(.online, .connected, connection: 500, at: 0), of: vehicle, at: moment(0))
        _ = engine.handle(status(.offline, .stopped, connection: 500, at: 10), of: vehicle, at: moment(10))
        // A late last will of an earlier connection says nothing.
        _ = engine.handle(status(.offline, .connectionLost, connection: 499, at: 5), of: vehicle, at: moment(11))
        #expect(silence(&engine, minutes: 1...60) == [])
        _ = engine.handle(status(.online, .connected, connection: 1, at: 3700), of: vehicle, at: moment(3700))
        _ = engine.handle(record(1, at: 3720), of: vehicle, at: moment(3720))
        #expect(silence(&engine, minutes: 63...90) == [72])
    }

    @Test("A heartbeat interval that no agent can have counts as the default", arguments: [-1e300, -5, 1e300, .nan])
    func impossibleHeartbeat(seconds: Double) {
        var engine = RuleEngine(rules: [rule(.silent(seconds: 600))])
        var report = report(at: 0)
        report.configuration = .object(["tracking": .object(["heartbeat_interval": .number(seconds)])])
        _ = engine.handle(report, of: vehicle, at: moment(0))
        #expect(silence(&engine, minutes: 1...200) == [70])
    }

    @Test("A record or a report with a date in the future hides none of those that come after it")
    func future() {
        var engine = RuleEngine(rules: [rule(.overspeed(speed: 20, seconds: 60))])
        _ = engine.handle(report(at: 0, isEnabled: false), of: vehicle, at: moment(0))
        _ = engine.handle(report(at: 1e9), of: vehicle, at: moment(1))
        _ = engine.handle(record(1, at: 1e9, speed: 30), of: vehicle, at: moment(1))
        _ = engine.handle(report(at: 2, isEnabled: false), of: vehicle, at: moment(2))
        #expect(engine.knownState(7)?.report?.expectation(at: start) == nil)
        let changes = [2.0, 32, 62].map {
            engine.handle(record(Int64($0), at: $0, speed: 30), of: vehicle, at: moment($0)).notifications.count
        }
        #expect(changes == [0, 0, 1])
    }

    @Test("Two fast records with hours between them are no overspeed")
    func hole() {
        var engine = RuleEngine(rules: [rule(.overspeed(speed: 20, seconds: 60))])
        for (time, count) in [(0.0, 0), (7200, 0), (7230, 0), (7260, 1)] {
            let found = engine.handle(record(Int64(time) + 1, at: time, speed: 30), of: vehicle, at: moment(time))
            #expect(found.notifications.count == count, "\(time)")
        }
    }

    @Test(
        "A moving vehicle is not silent before its longest interval and a minute",
        arguments: [
            (nil, nil, 120, 6), (nil, nil, 600, 10), (900, nil, 120, 16), (900, "plain", 120, 16),
            (900, "compact", 120, 17), (30, nil, 120, 2), (-5, nil, 120, 6), (1_000_000, nil, 120, 6),
        ] as [(Int64?, String?, Double, Int)])
    func longInterval(interval: Int64?, encoding: String?, limit: Double, minute: Int) throws {
        var engine = RuleEngine(rules: [rule(.silent(seconds: limit))])
        var report = report(at: 0)
        var tracking: [String: JSONValue] = [:]
        if let interval { tracking["sampling"] = .object(["maximum_interval": .integer(interval)]) }
        if let encoding { tracking["encoding"] = .string(encoding) }
        report.configuration = .object(["tracking": .object(tracking)])
        _ = engine.handle(report, of: vehicle, at: moment(0))
        _ = engine.handle(record(1, at: 0), of: vehicle, at: moment(0))
        #expect(silence(&engine, minutes: 1...60) == [minute])
    }

    @Test("A parked vehicle is silent only after its heartbeat interval and the time")
    func parked() {
        for (heartbeat, expected) in [(Int64?.none, [70]), (1800, [40]), (0, [])] {
            var engine = RuleEngine(rules: [rule(.silent(seconds: 600))])
            _ = engine.handle(status(.online, .connected, connection: 1, at: 0), of: vehicle, at: moment(0))
            _ = engine.handle(report(at: 0, heartbeat: heartbeat), of: vehicle, at: moment(0))
            _ = engine.handle(record(1, at: 0, isMoving: false), of: vehicle, at: moment(0))
            #expect(silence(&engine, minutes: 1...300) == expected, "\(heartbeat.map { "\($0)" } ?? "not known")")
        }
        // Without a heartbeat only the broker can say that it is away.
        var engine = RuleEngine(rules: [rule(.silent(seconds: 600))])
        _ = engine.handle(report(at: 0, heartbeat: 0), of: vehicle, at: moment(0))
        _ = engine.handle(record(1, at: 0, isMoving: false), of: vehicle, at: moment(0))
        #expect(silence(&engine, minutes: 1...300) == [10])
    }

    @Test("A vehicle is not silent while tracking is off or its schedule is closed, also if the report cannot say it")
    func schedules() {
        for (report, expected) in [
            (report(at: 0, isEnabled: false), []),
            (report(at: 0, mode: .private, isOpen: false), []),
            (report(at: 0, mode: .stop, isOpen: false), []),
            (report(at: 0, mode: .tag, isOpen: false), [10]),
            // It closes after five minutes.
            (report(at: 0, changes: [(300, false)]), []),
            // It opens after an hour: only from then on records are missing.
            (report(at: 0, mode: .private, isOpen: false, changes: [(3600, true)]), [70]),
            (report(at: 0, changes: [(300, false), (3600, true)]), [70]),
        ] {
            var engine = RuleEngine(rules: [rule(.silent(seconds: 600))])
            _ = engine.handle(record(1, at: 0), of: vehicle, at: moment(0))
            _ = engine.handle(report, of: vehicle, at: moment(0))
            #expect(silence(&engine, minutes: 1...200) == expected, "\(report)")
        }
    }

    @Test("A vehicle that was last heard of months ago is no news")
    func forgotten() {
        var state = RuleVehicleState(vehicle)
        state.isForgotten = true
        var engine = RuleEngine(rules: [rule(.silent(seconds: 600))], vehicles: [state])
        #expect(silence(&engine, minutes: 1...300) == [])
        _ = engine.handle(record(1, at: 18_000), of: vehicle, at: moment(18_000))
        #expect(silence(&engine, minutes: 301...330) == [310])
    }

    // MARK: - Geofences

    @Test("Only crossings of the chosen geofences trigger, each once, with the record's position and number")
    func crossings() throws {
        let condition = RuleCondition.geofence(identifiers: ["depot"], events: [.enter])
        var engine = RuleEngine(rules: [rule(condition)])
        for (event, isTrigger) in [
            (crossing(.enter, at: 10), true), (crossing(.exit, at: 20), false), (crossing(.dwell, at: 30), false),
            (crossing(.enter, of: "home", at: 40), false), (crossing(.enter, at: 50, reason: .created), false),
            (crossing(.enter, at: 60, reason: .schedule), false), (crossing(.enter, at: 70, reason: .moved), true),
            (crossing(.cross, at: 80), true), (record(90, at: 90), false),
        ] {
            let found = engine.handle(event, of: vehicle, at: moment(100)).notifications
            #expect(found.count == (isTrigger ? 1 : 0), "\(event)")
        }
        let notification = try #require(
            engine.handle(crossing(.enter, at: 10), of: vehicle, at: moment(100)).notifications.first)
        #expect(notification.position?.latitude == 40 && notification.epoch == 3 && notification.seq == 10)
        #expect(notification.text == "van-7 of acme entered depot")
        #expect(notification.geofence?.action == "ENTER" && notification.phase == .event)
        // The same event has the same identity, and another event has another one.
        let again = engine.handle(crossing(.enter, at: 10), of: vehicle, at: moment(2000)).notifications
        #expect(again.map(\.id) == [notification.id])
        let other = engine.handle(crossing(.enter, at: 11), of: vehicle, at: moment(100)).notifications
        #expect(other.map(\.id) != [notification.id])
    }

    @Test("A record that is late, or whose date is not certain, does not trigger")
    func late() {
        let condition = RuleCondition.geofence(identifiers: [], events: [.enter, .exit])
        var engine = RuleEngine(rules: [rule(condition, lateSeconds: 600)])
        #expect(engine.handle(crossing(.exit, at: 0), of: vehicle, at: moment(600)).notifications.count == 1)
        #expect(engine.handle(crossing(.exit, at: 1), of: vehicle, at: moment(602)).notifications.isEmpty)
        var undated = crossing(.exit, at: 2)
        undated.clockUntrusted = true
        #expect(engine.handle(undated, of: vehicle, at: moment(2)).notifications.isEmpty)
    }

    // MARK: - Speed

    @Test("Records that are too fast for the time trigger once, and the first slower one ends that")
    func overspeed() throws {
        var engine = RuleEngine(rules: [rule(.overspeed(speed: 30, seconds: 10))])
        var found: [(Int, RuleNotification.Phase)] = []
        // A single fast record, an unknown speed in between, and then 20 s of it.
        let speeds = [29.0, 99, 30, 31, 32, -1, 33, 34, 35, 36, 20, 20]
        for (index, speed) in speeds.enumerated() {
            let time = Double(index) * 5
            let changes = engine.handle(
                record(Int64(index + 1), at: time, speed: speed), of: vehicle, at: moment(time))
            found += changes.notifications.map { (index, $0.phase) }
            if let speed = changes.notifications.first?.speed {
                #expect(speed == RuleNotification.Speed(limit: 30, peak: 33))
            }
        }
        #expect(found.map(\.0) == [6, 10] && found.map(\.1) == [.begin, .end])
        // Records of a backlog that are older than the newest one count for nothing.
        for seq in 20..<30 {
            let old = record(Int64(seq), at: Double(seq) - 20, speed: 99)
            #expect(engine.handle(old, of: vehicle, at: moment(60)).notifications.isEmpty)
        }
    }

    @Test("An event of a geofence's speed limit triggers with its speeds")
    func geofenceOverspeed() {
        var engine = RuleEngine(rules: [rule(.geofenceOverspeed(identifiers: ["school"]))])
        var event = crossing(.overspeed, of: "school", at: 10)
        event.geofence?.peakSpeed = 15
        event.geofence?.speedLimit = 8.3
        let found = engine.handle(event, of: vehicle, at: moment(12)).notifications
        #expect(found.map(\.speed) == [RuleNotification.Speed(limit: 8.3, peak: 15)])
        let other = crossing(.overspeed, of: "depot", at: 11)
        #expect(engine.handle(other, of: vehicle, at: moment(12)).notifications.isEmpty)
    }

    @Test("Harsh driving and long idling trigger at the time of their start, other records do not")
    func driving() {
        var engine = RuleEngine(rules: [rule(.driving)])
        #expect(engine.handle(record(1, at: 10), of: vehicle, at: moment(12)).notifications.isEmpty)
        var event = record(2, at: 20)
        let start = event.timestamp.advanced(bySeconds: -4)
        event.event = .driving
        event.driving = DrivingReading(kind: .braking, peakG: 0.52, duration: 2.4, startedAt: start)
        let found = engine.handle(event, of: vehicle, at: moment(22)).notifications
        #expect(found.map(\.time) == [start] && found.map(\.phase) == [.event])
        #expect(found.first?.text.hasSuffix("reported harsh braking for 2 s, up to 0.52 g") == true)
        event = record(3, at: 30)
        event.driving = DrivingReading(kind: .idling, peakG: nil, duration: 420, startedAt: start)
        let idling = engine.handle(event, of: vehicle, at: moment(32)).notifications
        #expect(idling.first?.text.hasSuffix("reported idling for 420 s") == true)
    }

    // MARK: - Carriage

    @Test("A carried vehicle triggers once for each event, also after more revisions, until the event is final")
    func tow() {
        var engine = RuleEngine(rules: [rule(.tow)])
        func revision(
            _ number: Int, meters: Double?, isFinal: Bool = false, tag: String? = nil
        ) -> TimelineEventRevision {
            var event = TimelineEventRevision(
                eventID: "5e41ab08-7439-811e-b78b-1aa9c29bc868", uuid: nil, epoch: 3, seq: Int64(number),
                revision: number, isProvisional: !isFinal, type: .inTransport, startDate: start,
                endDate: isFinal ? start.advanced(bySeconds: 60) : nil,
                lastUpdateDate: start.advanced(bySeconds: Double(number)), duration: 60)
            (event.carriedInMeters, event.tag) = (meters, tag)
            // Only a private trip has no route at its end.
            event.waypoints =
                isFinal
                ? []
                : [40.1, 40.2].map { Waypoint(latitude: $0, longitude: -3, accuracy: 4, timestamp: start, speed: 20) }
            return event
        }
        #expect(engine.handle(revision(1, meters: nil), of: vehicle, at: moment(1)).notifications.isEmpty)
        let begin = engine.handle(revision(2, meters: 410.4), of: vehicle, at: moment(2)).notifications
        #expect(begin.map(\.phase) == [.begin] && begin.first?.time == start && begin.first?.seq == 2)
        #expect(begin.first?.position?.latitude == 40.2)
        #expect(begin.first?.text.hasSuffix("is carried with its wheels at rest, 410 m so far") == true)
        #expect(engine.handle(revision(3, meters: 900), of: vehicle, at: moment(3)).notifications.isEmpty)
        let end = engine.handle(revision(4, meters: 1200, isFinal: true), of: vehicle, at: moment(4)).notifications
        #expect(end.map(\.phase) == [.end] && engine.episodes.isEmpty)
        // Private use leads to no notification, neither at its beginning nor at its end.
        let hidden = revision(5, meters: 1200, tag: "private")
        #expect(engine.handle(hidden, of: vehicle, at: moment(5)).notifications.isEmpty && engine.episodes.isEmpty)
        _ = engine.handle(revision(6, meters: 1200), of: vehicle, at: moment(6))
        let last = revision(7, meters: 1200, isFinal: true, tag: "private")
        #expect(engine.handle(last, of: vehicle, at: moment(7)).notifications.isEmpty && engine.episodes.isEmpty)
    }

    // MARK: - Configuration

    @Test("A refused configuration triggers once, without the refused values, until it is accepted")
    func configuration() throws {
        var engine = RuleEngine(rules: [rule(.rejectedConfiguration)])
        #expect(engine.handle(report(at: 0), of: vehicle, at: moment(0)).notifications.isEmpty)
        let begin = engine.handle(report(at: 10, errors: 30), of: vehicle, at: moment(10)).notifications
        #expect(begin.map(\.phase) == [.begin] && begin.first?.refused?.count == RuleNotification.maximumParts)
        #expect(try !JSONCoder.string(of: begin).contains("40.1"))
        #expect(engine.handle(report(at: 20, errors: 1), of: vehicle, at: moment(20)).notifications.isEmpty)
        // A late report does not end it.
        #expect(engine.handle(report(at: 5), of: vehicle, at: moment(21)).notifications.isEmpty)
        #expect(engine.handle(report(at: 30), of: vehicle, at: moment(30)).notifications.map(\.phase) == [.end])
    }
}
