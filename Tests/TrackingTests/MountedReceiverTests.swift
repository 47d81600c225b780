import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("A receiver mounted in a vehicle")
struct MountedReceiverTests {
    private static let vehicles: [TransportMode] = [.car, .bus, .train, .tram, .motorcycle, .bicycle]

    /// A drive into a traffic jam, and out of it after a quarter of an hour at walking pace.
    private var jam: Track {
        Track.drive { track in
            for step in 0..<20 {
                track.go(seconds: 25, metersPerSecond: 1.3)
                track.stand(seconds: step % 3 == 0 ? 40 : 15)
            }
        }
    }

    @Test("In a traffic jam no walk is published, and each trip has the vehicle's transport mode", arguments: vehicles)
    func jam(vehicle: TransportMode) {
        var tracker = Tracker(aboard: vehicle)
        let events = tracker.timeline(from: jam.fixes).latest
        #expect(events.first?.letter == "S" && events.last?.letter == "S")
        let modes = events.dropFirst().dropLast().map { event -> TransportMode? in
            if case .transport(let transport) = event.kind { transport.mode } else { nil }
        }
        #expect(!modes.isEmpty && modes.allSatisfy { $0 == vehicle }, "\(events.map(\.letter))")
    }

    @Test("A jam is one trip, also with a portable receiver", arguments: vehicles.map(Optional.some) + [nil])
    func oneTrip(vehicle: TransportMode?) {
        var tracker = Tracker(aboard: vehicle)
        #expect(tracker.timeline(from: jam.fixes).latest.shape == "STS")
    }

    @Test("A shift in a yard is one trip, and shunting is one between two stops", arguments: vehicles)
    func yard(vehicle: TransportMode) {
        var track = Track()
        track.stand(seconds: 900)
        for step in 0..<30 {
            // To and fro: the vehicle is within 30 m all the time.
            track.go(seconds: 20, metersPerSecond: 2.5, headingDegrees: step % 2 == 0 ? 90 : 270)
            track.stand(seconds: 80)
        }
        track.stand(seconds: 900)
        for _ in 0..<2 {
            track.go(seconds: 16, metersPerSecond: 1.3)
            track.stand(seconds: 70)
        }
        track.stand(seconds: 900)
        var tracker = Tracker(aboard: vehicle)
        let events = tracker.timeline(from: track.fixes).latest
        #expect(events.shape == "STSTS")
    }

    @Test(
        "A slow way before the first drive is a part of it, with a receiver that repeats each position",
        arguments: vehicles)
    func held(vehicle: TransportMode) {
        // The step to each position, metres, its number of fixes, and their speed.
        let slow = [(0.0, 20, 0.015), (47.9, 10, 0.015), (26.3, 7, 1.775), (2.1, 12, 0.021), (2.3, 10, 0.021)]
        let fast = [(45.0, 14, 5.731), (101.9, 13, 7.351)] + Array(repeating: (120, 10, 12.0), count: 60)
        let parked = [(0.0, 600, 0.015)]
        var track = Track()
        var fixes: [Fix] = []
        for (meters, count, speed) in slow + fast + parked {
            track.go(seconds: 1, metersPerSecond: meters, accuracyMeters: nil)
            for _ in 1..<count { track.stand(seconds: 1) }
            for var fix in track.fixes.suffix(count) {
                (fix.speedMetersPerSecond, fix.headingDegrees, fix.accuracyMeters) = (speed, nil, nil)
                fix.coordinate = track.end
                fixes.append(fix)
            }
        }
        var tracker = Tracker(aboard: vehicle)
        #expect(tracker.timeline(from: fixes).latest.shape == "TS")
    }

    @Test("A shift in a yard is one trip of one mode, also with a portable receiver", arguments: 1...6)
    func shunting(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var track = Track()
        track.stand(seconds: 900)
        for _ in 0..<60 {
            // Often back to where it came from, as a person walks to a door and back, but faster than people walk.
            track.go(
                seconds: Double(Int.random(in: 5...40, using: &random)), metersPerSecond: 2.5,
                headingDegrees: Bool.random(using: &random) ? 90 : 270)
            track.stand(seconds: Double(Int.random(in: 60...100, using: &random)))
        }
        track.stand(seconds: 900)
        var tracker = Tracker(aboard: nil)
        let events = tracker.timeline(from: track.fixes).latest
        #expect(
            events.shape == "STS", "\(events.map(\.letter)), \(events.map { $0.start.seconds(since: events[0].start) })"
        )
    }

    @Test("The time for which a vehicle stands decides between a halt and a stop", arguments: vehicles)
    func measuredLength(vehicle: TransportMode) {
        for seconds in [280.0, 290, 310, 320] {
            var tracker = Tracker(aboard: vehicle)
            let letters = tracker.timeline(from: Track.halting(seconds: seconds).fixes).latest.count
            #expect(letters == (seconds < 300 ? 3 : 5), "\(seconds)")
        }
        // At the pump, and then in front of the shop: nowhere for five minutes.
        let track = Track.drive { track in
            track.stand(seconds: 200)
            track.go(seconds: 15, metersPerSecond: 3)
            track.stand(seconds: 200)
        }
        var tracker = Tracker(aboard: vehicle)
        #expect(tracker.timeline(from: track.fixes).latest.count == 3)
    }

    @Test("No location has another activity", arguments: vehicles)
    func activities(vehicle: TransportMode) {
        var tracker = Tracker(aboard: vehicle)
        var kinds: Set<Activity.Kind> = []
        for fix in jam.fixes {
            _ = tracker.handle(.fix(fix))
            if let kind = tracker.currentLocation(at: fix.received)?.activity.kind { kinds.insert(kind) }
        }
        #expect(kinds.subtracting([.unknown]) == [.still, vehicle == .bicycle ? .onBicycle : .inVehicle])
    }

    @Test("Changing reception of a parked vehicle is not an indoor exit")
    func parked() {
        var track = Track()
        track.stand(seconds: 300)
        track.go(seconds: 300, metersPerSecond: 12)
        let arrival = track.now
        for step in 0..<90 {
            track.go(
                seconds: 20, metersPerSecond: step % 2 == 0 ? 0 : 0.3, headingDegrees: step % 4 == 1 ? 0 : 180,
                accuracyMeters: 25, reportsSpeed: false)
        }
        // The first metres are a departure of the vehicle, and the rest after them is a halt.
        let departure = track.now
        track.go(seconds: 12, metersPerSecond: 1.4)
        track.stand(seconds: 100)
        track.go(seconds: 300, metersPerSecond: 12)
        var tracker = Tracker(aboard: .car)
        let events = tracker.timeline(from: track.fixes).latest
        #expect(events.map(\.letter) == ["S", "D", "S", "D"])
        #expect(abs(events[2].start.seconds(since: arrival)) <= 30)
        #expect(abs(events[3].start.seconds(since: departure)) <= 30)
    }
}

extension [TimelineEvent] {
    /// `T` for each trip, whatever its mode, and the letter of each other event.
    fileprivate var shape: String {
        String(
            map { event in
                if case .transport = event.kind { "T" } else { event.letter }
            })
    }
}
