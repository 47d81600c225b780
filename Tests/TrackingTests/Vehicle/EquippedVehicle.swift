import OdographCivilTime
import OdographHarness
import OdographModel

@testable import OdographTracking

/// A simulated drive of a vehicle that reports its own signals, with the truth: the inputs of the tracker in the order
/// of time, and what really happened.
struct EquippedVehicle {
    /// The signals that the vehicle reports.
    struct Equipment: Sendable {
        /// The reported distance per true distance.
        var scale = 1.03
        /// The time between two reports of the speed, tenths of a second.
        var tenthsBetweenSpeeds = 2
        /// The step of the speed, m/s: 1/256 km/h with J1939, 1 km/h with OBD-II.
        var speedStep = 1.0 / 256 / 3.6
        /// The step of the counter, metres; nil for none.
        var counterStep: Double?
        var hasSpeed = true
        var hasIgnition = true
    }

    /// The inputs, oldest first.
    private(set) var inputs: [TrackerInput] = []
    /// The true distance from the first fix to each input, metres.
    private(set) var trueMeters: [Double] = []
    /// The distance driven in tunnels, metres.
    private(set) var tunnelMeters = 0.0

    static let start = Timestamp(iso8601: "2026-11-21T09:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)

    /// - Parameters:
    ///   - interval: the time between two fixes, seconds.
    ///   - hasTunnels: whether positions are missing for 30 to 240 s now and then.
    init(
        on road: SimulatedRoad, seed: UInt64, seconds: Double, equipment: Equipment = Equipment(),
        interval: Double = 1, hasTunnels: Bool = true
    ) {
        let drive = RoadDrive(on: road, seed: seed, seconds: seconds, from: RoadDrive.town)
        var random = SplitMix64(seed: seed &+ 977)
        var (tunnelEnd, nextTunnel) = (0.0, Double.random(in: 300...500, using: &random))
        var fixes = drive.fixes(everySeconds: interval)[...]
        let origin = Double.random(in: 0...1e8, using: &random)
        for (tenth, sight) in drive.sights.enumerated() {
            if hasTunnels, sight.seconds >= nextTunnel {
                tunnelEnd = sight.seconds + Double.random(in: 30...240, using: &random)
                nextTunnel = tunnelEnd + Double.random(in: 200...500, using: &random)
            }
            let time = Self.start.advanced(bySeconds: sight.seconds)
            let before = drive.sights[max(tenth - 1, 0)]
            if sight.seconds < tunnelEnd { tunnelMeters += sight.trueMeters - before.trueMeters }
            if equipment.hasSpeed, tenth.isMultiple(of: equipment.tenthsBetweenSpeeds) {
                let speed = (sight.trueMeters - before.trueMeters) * 10 * equipment.scale
                let stepped = (speed / equipment.speedStep).rounded() * equipment.speedStep
                append(
                    VehicleSignals(
                        source: .simulator, received: ClockReading(replayed: time), wheelSpeedMetersPerSecond: stepped),
                    sight)
            }
            if let step = equipment.counterStep, tenth.isMultiple(of: 10) {
                let meters = ((origin + sight.trueMeters * equipment.scale) / step).rounded(.down) * step
                append(
                    VehicleSignals(source: .simulator, received: ClockReading(replayed: time), odometerMeters: meters),
                    sight)
            }
            if let fix = fixes.first, fix.timestamp <= time {
                fixes.removeFirst()
                if sight.seconds < tunnelEnd { continue }
                inputs.append(.fix(fix))
                trueMeters.append(sight.trueMeters)
            }
        }
    }

    private mutating func append(_ signals: VehicleSignals, _ sight: RoadDrive.Sight) {
        inputs.append(.signals(signals))
        trueMeters.append(sight.trueMeters)
    }
}
