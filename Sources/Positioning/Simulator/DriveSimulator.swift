import OdographCivilTime
import OdographGeodesy
import OdographModel

/// A simulated drive, event by event, with the true values. The same settings give the same drive. No clock is read.
public struct DriveSimulator: Sendable {
    private static let maximumStepSeconds = 0.1
    /// The speed below which a Doppler heading is noise, m/s.
    private static let minimumHeadingSpeed = 0.5

    private let plane: RoutePlane
    private let startTime: Timestamp
    private let durationSeconds: Double?
    private let intervalSeconds: Double
    private let harshStopInterval: Int?
    private var routeGenerator: SeededGenerator
    private var noiseGenerator: SeededGenerator
    private(set) var vehicle: SimulatedVehicle
    private var noise: ReceiverNoise
    private var ticks: Int64 = 0
    private var ordinal: Int64 = 0
    private let resumeAfterOrdinal: Int64
    private var state: SourceState?
    private var pending: [SourceEvent.Content] = []
    private var finishedRoutesMeters = 0.0

    /// The true distance since the start, metres.
    var distanceMeters: Double { finishedRoutesMeters + vehicle.distanceMeters }

    /// The counters since the start.
    public private(set) var counters = SourceCounters()

    /// Creates a drive.
    /// - Parameters:
    ///   - settings: The settings; ``SimulatorSettings/startTime`` is not used.
    ///   - startTime: The time of the first event.
    public init(_ settings: SimulatorSettings, startTime: Timestamp) {
        plane = RoutePlane(origin: settings.start)
        self.startTime = startTime
        durationSeconds = settings.durationSeconds
        intervalSeconds = 1 / min(max(settings.rateHertz, 0.01), 20)
        resumeAfterOrdinal = settings.resumeAfterOrdinal
        harshStopInterval = settings.harshStopInterval
        routeGenerator = SeededGenerator(seed: settings.seed)
        // A separate generator, so that the rate and tunnels do not change the route.
        noiseGenerator = SeededGenerator(seed: routeGenerator.next())
        let first = RoutePlanner.plan(using: &routeGenerator)
        vehicle = SimulatedVehicle(
            route: first, stopSeconds: settings.parkedSeconds, harshStopInterval: harshStopInterval)
        noise = ReceiverNoise(using: &noiseGenerator)
    }

    // MARK: - Events

    /// Returns the next event after ``SimulatorSettings/resumeAfterOrdinal``; nil at the end of the drive.
    public mutating func next() -> SourceEvent? {
        while true {
            if pending.isEmpty {
                guard let tick = nextTick() else { return nil }
                pending = tick.reports
            } else {
                let content = pending.removeFirst()
                ordinal += 1
                if ordinal > resumeAfterOrdinal { return SourceEvent(content, ordinal: ordinal) }
            }
        }
    }

    /// Goes on to the next time at which the receiver reports something.
    /// - Returns: the time and the reports, which can be none; nil at the end of the drive.
    mutating func nextTick() -> (time: Timestamp, reports: [SourceEvent.Content])? {
        let elapsedSeconds = Double(ticks) * intervalSeconds
        if let durationSeconds, elapsedSeconds > durationSeconds { return nil }
        if ticks > 0 { drive(seconds: intervalSeconds) }
        ticks += 1
        counters.linesRead += 1
        let time = startTime.advanced(byMilliseconds: Int64((elapsedSeconds * 1000).rounded()))
        return (time, reports(at: time))
    }

    private mutating func drive(seconds: Double) {
        let steps = max(1, Int((seconds / Self.maximumStepSeconds).rounded(.up)))
        for _ in 0..<steps {
            vehicle.advance(seconds: seconds / Double(steps))
            guard vehicle.hasFinishedRoute else { continue }
            finishedRoutesMeters += vehicle.distanceMeters
            vehicle = SimulatedVehicle(
                route: RoutePlanner.plan(using: &routeGenerator), stopSeconds: 1,
                harshStopInterval: harshStopInterval)
        }
        noise.advance(seconds: seconds, using: &noiseGenerator)
    }

    private mutating func reports(at time: Timestamp) -> [SourceEvent.Content] {
        guard !vehicle.isInTunnel else {
            counters[.noFix] += 1
            return [change(to: .noFix, at: time, "the simulated vehicle is in a tunnel")].compactMap(\.self)
        }
        guard let fix = fix(at: time) else { return [] }
        counters.fixes += 1
        let change = change(to: .available, at: time, "the simulated receiver reports positions")
        return [change, .fix(fix)].compactMap(\.self)
    }

    private mutating func change(
        to newState: SourceState, at time: Timestamp, _ detail: String
    ) -> SourceEvent.Content? {
        guard state != newState else { return nil }
        state = newState
        return .state(newState, at: ClockReading(replayed: time), detail: detail)
    }

    private mutating func fix(at time: Timestamp) -> Fix? {
        guard let coordinate = plane.coordinate(of: noise.perturbed(vehicle.place, using: &noiseGenerator)) else {
            return nil
        }
        let speed = vehicle.speed
        let speedError = ReceiverNoise.speedMetersPerSecond * noiseGenerator.gaussian()
        // A velocity error across the direction of travel changes the heading.
        let headingError = ReceiverNoise.speedMetersPerSecond * noiseGenerator.gaussian() / max(speed, 0.1) * 180 / .pi
        let heading = vehicle.headingDegrees + headingError.truncatingRemainder(dividingBy: 360)
        return Fix(
            timestamp: time,
            received: ClockReading(replayed: time),
            coordinate: coordinate,
            accuracyMeters: ReceiverNoise.accuracyMeters,
            speedMetersPerSecond: abs(speed + speedError),
            speedAccuracyMetersPerSecond: ReceiverNoise.speedAccuracyMetersPerSecond,
            headingDegrees: speed < Self.minimumHeadingSpeed ? nil : heading,
            altitudeMeters: 100 + noise.heightErrorMeters,
            isMock: true)
    }
}
