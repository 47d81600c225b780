import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel

/// Queues that creep round bends with stops, and starts out of a parking space.
struct CreepingQueues {
    private static let runs = 40 as UInt64

    func report() {
        for (name, range) in [("0.3–0.7 m/s", 0.3...0.7), ("0.7–2 m/s", 0.7...2)] {
            for tellsSpeed in [true, false] {
                for isPhone in [false, true] where tellsSpeed || !isPhone {
                    report(name, range, tellsSpeed: tellsSpeed, isPhone: isPhone)
                }
            }
        }
    }

    private func report(_ name: String, _ range: ClosedRange<Double>, tellsSpeed: Bool, isPhone: Bool) {
        let (watch, errors) = result(range, tellsSpeed: tellsSpeed, isPhone: isPhone)
        row(
            "queue at \(name)\(tellsSpeed ? isPhone ? ", phone" : "" : ", no speed"): median error (m), mean",
            "\(text(errors.median, 1)), \(text(100 * watch.meanError, 1)) % ± \(text(100 * watch.medianBound, 1)) %",
            bar: "5 %")
        row(
            "  inside at the end; at each fix; farthest outside (m)",
            "\(watch.endsInside) of \(watch.ends.count); \(text(100 * watch.insideShare, 1)) %; "
                + "\(text(watch.worstMeters, 0))", bar: "95 %")
    }

    /// Returns the odometer of the queues, and its error at the end of each, metres.
    /// - Parameters:
    ///   - range: The speeds between the stops, m/s.
    ///   - isPhone: Whether the receiver reports low speeds late and 0 for the lowest.
    func result(
        _ range: ClosedRange<Double>, tellsSpeed: Bool, isPhone: Bool
    ) -> (OdometerWatch, errors: [Double]) {
        var watch = OdometerWatch()
        var errors: [Double] = []
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return (watch, errors) }
        for seed in 1...Self.runs {
            var random = SplitMix64(seed: seed)
            let accuracy = Double.random(in: 3...10, using: &random)
            var (fixes, truths): ([Fix], [Double]) = ([], [])
            var (place, heading, truth, speed, told, left) = (start, 0.0, 0.0, 0.0, 0.0, 120.0)
            var (target, turn) = (0.0, 0.0)
            var error = random.scatter(accuracy / 2.45)
            for second in 0..<600 {
                let time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000).advanced(bySeconds: Double(second))
                error = random.wandered(from: error, seconds: 1, memorySeconds: 120, deviation: accuracy / 2.45)
                let jitter = random.scatter(0.15)
                told = isPhone ? told + 0.4 * (speed - told) : speed
                let seen = abs(told + 0.08 * random.normal())
                fixes.append(
                    Fix(
                        timestamp: time, received: ClockReading(replayed: time),
                        coordinate: LocalPlane(origin: place).coordinate(of: error + jitter), accuracyMeters: accuracy,
                        speedMetersPerSecond: tellsSpeed ? (isPhone && seen < 0.3 ? 0 : seen) : nil))
                truths.append(truth)
                left -= 1
                if left <= 0 {
                    let goes = target == 0
                    target = goes ? Double.random(in: range, using: &random) : 0
                    left = goes ? Double.random(in: 8...40, using: &random) : Double.random(in: 5...60, using: &random)
                    turn = Bool.random(using: &random) ? 1 / Double.random(in: -30 ... -10, using: &random) : 1 / 200
                }
                speed += min(max(target - speed, -1), 0.5)
                heading += turn * speed * 180 / .pi
                place = place.destination(headingDegrees: heading, distanceMeters: speed)
                truth += speed
            }
            watch.add(fixes, truths: truths)
            errors.append(watch.ends[watch.ends.count - 1].error * truth)
        }
        return (watch, errors)
    }
}
