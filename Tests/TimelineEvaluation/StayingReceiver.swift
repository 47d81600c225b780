import OdographCivilTime
import OdographHarness
import OdographTracking

/// A stationary receiver in a parked vehicle or with a person in a building, under a changing sky: its accuracy and its
/// error change in steps, it jumps, and the person walks between rooms. No departure may be published, except soon
/// after the person comes out and waits beside the vehicle.
struct StayingReceiver {
    /// The number of stops of each kind.
    static let stays = 12 as UInt64
    /// The duration of each stop, hours.
    static let hours = 2.0

    private static let indoors = [
        NamedSky("indoors", ChangingSky(accuracyMeters: 8...60, stepSeconds: 120)),
        NamedSky("indoors, now and then at a window", ChangingSky(accuracyMeters: 3...30, stepSeconds: 240)),
        NamedSky("indoors, hops", ChangingSky(accuracyMeters: 5...60, stepSeconds: 120)) {
            $0.hopSeconds = 100
            $0.hopMeters = 30
        },
        NamedSky("two rooms 15 m apart", ChangingSky(accuracyMeters: 3...20, stepSeconds: 600)) { $0.roomsMeters = 15 },
    ]

    func report() {
        for sky in ParkedSkies.usual { report(sky, isVehicle: true) }
        for sky in Self.indoors { report(sky, isVehicle: false) }
        ParkedSkies().report()
        reportComingOut()
    }

    private func report(_ sky: NamedSky, isVehicle: Bool) {
        var told = 0
        for seed in 1...Self.stays {
            var track = StayTrack(seed: seed)
            track.arrive(onFoot: !isVehicle)
            var above = sky.sky
            track.stay(under: &above, seconds: Int(Self.hours * 3600))
            told += Outcome(Capture(fixes: track.fixes)).takenBack
        }
        row(
            "\(isVehicle ? "parked" : "phone") \(sky.name): departures taken back an hour",
            text(Double(told) / (Self.hours * Double(Self.stays))), bar: "rare")
    }

    /// Reports an hour indoors, 15 to 30 m out of the door, a wait and a drive.
    private func reportComingOut() {
        var delays: [Double] = []
        var errors: [Double] = []
        for seed in 1...(2 * Self.stays) {
            var track = StayTrack(seed: seed)
            track.arrive(onFoot: true)
            var above = ChangingSky(accuracyMeters: 8...40, stepSeconds: 120)
            track.stay(under: &above, seconds: 3600)
            let out = track.time
            track.go(seconds: 12 + Int(seed % 12), metersPerSecond: 1.3, headingDegrees: 0)
            track.go(seconds: 100, metersPerSecond: 0)
            track.go(seconds: 300, metersPerSecond: 6)
            let outcome = Outcome(Capture(fixes: track.fixes))
            let trip = outcome.trips.first { $0.start.seconds(since: out) > -120 }
            guard let start = trip?.start else { continue }
            delays += outcome.delay(of: "transport", startingAt: start)
            errors.append(abs(start.seconds(since: out)))
        }
        row(
            "coming out of a building and waiting: told within 60 s",
            "\(delays.count { $0 <= 60 }) of \(2 * Self.stays)", bar: "all")
        row(
            "  start, |median| and p90 (s)", "\(text(errors.median, 0)), \(text(errors.quantile(0.9), 0))",
            bar: "30, 100")
    }
}

/// A sky and its name.
struct NamedSky {
    let name: String
    var sky: ChangingSky

    init(_ name: String, _ sky: ChangingSky, change: (inout ChangingSky) -> Void = { _ in }) {
        self.name = name
        self.sky = sky
        change(&self.sky)
    }
}
