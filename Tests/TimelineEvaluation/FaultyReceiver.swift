import Glibc
import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel

/// A receiver with one fault, and what it reports of a day.
///
/// Without its fault the position errs by some metres for minutes and by decimetres from fix to fix, and the speed by
/// less than 0.1 m/s.
struct FaultyReceiver {
    /// The fault.
    enum Fault {
        case none
        /// The speed is multiplied.
        case scale(Double)
        /// One speed in a hundred is 40 m/s too high.
        case spikes
        /// The last speed of a drive stays until the next drive.
        case stuck
        /// The speed is the same all day, m/s.
        case constant(Double)
        /// The speed is noisy, m/s.
        case speedNoise(Double)
        case noSpeed
        /// There is no speed.
        case positionOnly
        /// The positions have independent errors, metres.
        case noise(Double)
        /// The coordinates are rounded to a step, degrees.
        case rounded(Double)
        case noTrack
        /// The positions begin some hundred metres off and approach the place.
        case coldStart
        /// Two receivers report in turns; the second one is some tens of metres off.
        case interleaved
        /// The date errs by up to so many seconds.
        case jitter(Double)
        /// No fix for 20 to 200 s, a third of the time of the drives.
        case outages
        /// Positions are 60 m off for half a minute, again and again.
        case canyon
        /// No fix for some kilometres of the second drive.
        case tunnel
        /// No speed, noise, and wild positions.
        case poor
        /// The date steps back, seconds, in the second drive; below 0 it steps forward.
        case setBack(Double)
        /// No speed, and a fix a minute.
        case seldom
    }

    /// The accuracy that the receiver reports.
    enum Accuracy: String, CaseIterable {
        case honest, constant, absent, tooSmall = "too small"
    }

    /// A fix, with the truth at it.
    struct Report {
        var fix: Fix
        var truth: DrivenDay.Moment
    }

    private static let slowMeters = 1.8
    private static let quickMeters = 0.2
    private static let speedNoise = 0.08

    let fault: Fault
    let accuracy: Accuracy

    /// The standard deviation of the independent error of an axis, metres.
    private var quickMeters: Double {
        switch fault {
        case .noise(let meters): meters
        case .rounded(let degrees): degrees * 111_000 / 12.squareRoot()
        case .poor: 1.5
        default: Self.quickMeters
        }
    }

    /// Returns the reports of a day, oldest first.
    /// - Parameter seconds: The interval of the fixes.
    func reports(of day: DrivenDay, everySeconds seconds: Int, seed: UInt64) -> [Report] {
        var random = SplitMix64(seed: seed)
        var reports: [Report] = []
        var slow = random.scatter(Self.slowMeters)
        var lastSpeed = 0.0
        var silent = silences(of: day, using: &random)[...]
        var off = LocalPoint.zero
        let other = random.scatter(15)
        let begin = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000)
        var step = seconds
        if case .seldom = fault { step = 60 }
        let driven = day.moments.indices.filter { day.moments[$0].drive == 1 }
        let middle = driven.isEmpty ? 0 : driven[driven.count / 2]
        for index in stride(from: 0, to: day.moments.count, by: step) {
            let truth = day.moments[index]
            slow = random.wandered(
                from: slow, seconds: Double(step), memorySeconds: 120, deviation: Self.slowMeters)
            var error = slow + random.scatter(quickMeters)
            while let first = silent.first, index > first.upperBound {
                silent.removeFirst()
                off = random.scatter(60 / 2.0.squareRoot())
            }
            let isSpoilt = silent.first?.contains(index) ?? false
            var date = Double(index)
            var speed: Double? = abs(truth.speed + Self.speedNoise * random.normal())
            if truth.speed > 1 { lastSpeed = truth.speed }
            switch fault {
            case .none, .noise, .rounded, .noTrack: break
            case .scale(let factor): speed = speed.map { $0 * factor }
            case .spikes: if Int.random(in: 0..<100, using: &random) == 0 { speed = truth.speed + 40 }
            case .stuck: if truth.drive == nil, lastSpeed > 0 { speed = lastSpeed }
            case .constant(let value): speed = value
            case .speedNoise(let deviation): speed = abs(truth.speed + deviation * random.normal())
            case .noSpeed: speed = 0
            case .positionOnly: speed = nil
            case .coldStart: error = error + LocalPoint(eastMeters: 400 * exp(-Double(index) / 15), northMeters: 0)
            case .interleaved: if (index / step) % 2 == 1 { error = random.scatter(1) + other }
            case .jitter(let most): date += Double.random(in: 0...most, using: &random)
            case .outages, .tunnel: if isSpoilt { continue }
            case .canyon: if isSpoilt { error = error + off }
            case .poor:
                speed = nil
                if Int.random(in: 0..<200, using: &random) == 0 { error = random.scatter(60) }
            case .setBack(let seconds): if index >= middle { date -= seconds }
            case .seldom: speed = nil
            }
            reports.append(
                Report(
                    fix: fix(
                        at: begin.advanced(bySeconds: date), received: begin.advanced(bySeconds: Double(index)), truth,
                        error: error, speed: speed, offMeters: index < 90 ? 1000 * exp(-Double(index) / 15) : 0),
                    truth: truth))
        }
        return reports
    }

    private func fix(
        at date: Timestamp, received: Timestamp, _ truth: DrivenDay.Moment, error: LocalPoint, speed: Double?,
        offMeters: Double
    ) -> Fix {
        var place = LocalPlane(origin: truth.place).coordinate(of: error)
        if case .rounded(let step) = fault {
            place =
                Coordinate(
                    latitudeDegrees: (place.latitudeDegrees / step).rounded() * step,
                    longitudeDegrees: (place.longitudeDegrees / step).rounded() * step) ?? place
        }
        var heading = truth.speed > 1 ? truth.headingDegrees : nil
        if case .noTrack = fault { heading = 0 }
        if speed == nil { heading = nil }
        var reading = ClockReading(replayed: received)
        // A clock that is trusted would reject the positions of a receiver that is half a minute off.
        if case .setBack = fault { reading.isSystemTimeTrusted = false }
        return Fix(
            timestamp: date, received: reading, coordinate: place,
            accuracyMeters: accuracyMeters(offMeters: offMeters), speedMetersPerSecond: speed, headingDegrees: heading)
    }

    private func accuracyMeters(offMeters: Double) -> Double? {
        var error = (Self.slowMeters * Self.slowMeters + quickMeters * quickMeters).squareRoot()
        if case .coldStart = fault { error = max(error, offMeters / 2.45) }
        if case .interleaved = fault { error = 15 }
        if case .canyon = fault { error = 10 }
        return switch accuracy {
        case .honest: 2.45 * error
        case .constant: 5
        case .absent: nil
        case .tooSmall: 2.45 * error / 3
        }
    }

    /// Returns the times in which the receiver is silent, or errs by the most, in seconds since the day began.
    private func silences(of day: DrivenDay, using random: inout SplitMix64) -> [ClosedRange<Int>] {
        switch fault {
        case .outages: return spans(of: day, lasting: 20...200, apart: 60...360, using: &random)
        case .canyon: return spans(of: day, lasting: 15...45, apart: 15...45, using: &random)
        case .tunnel:
            let driven = day.moments.indices.filter { day.moments[$0].drive == 1 }
            guard let first = driven.first, let last = driven.last else { return [] }
            let (from, to) = (day.moments[first].meters + 1000, day.moments[last].meters - 1000)
            let inside = driven.filter { (from...min(max(to, from), from + 6000)).contains(day.moments[$0].meters) }
            return inside.first.flatMap { start in inside.last.map { [start...$0] } } ?? []
        default: return []
        }
    }

    private func spans(
        of day: DrivenDay, lasting: ClosedRange<Int>, apart: ClosedRange<Int>, using random: inout SplitMix64
    ) -> [ClosedRange<Int>] {
        var spans: [ClosedRange<Int>] = []
        var index = 0
        while index < day.moments.count {
            index += Int.random(in: apart, using: &random)
            let length = Int.random(in: lasting, using: &random)
            if index < day.moments.count, day.moments[index].drive != nil { spans.append(index...(index + length)) }
            index += length
        }
        return spans
    }
}
