import OdographCivilTime
import OdographModel
import OdographTracking

/// The speed on a vehicle's own bus, by a clock other than the receiver's.
struct BusSpeed {
    private let rows: [(seconds: Double, speed: Double)]

    /// - Parameter path: A table with `t_boot_s` and `speed_mps`.
    init(path: String) throws {
        rows = try table(ofFile: path).compactMap { row in
            row["t_boot_s"].flatMap(Double.init).flatMap { time in
                row["speed_mps"].flatMap(Double.init).map { (time, $0) }
            }
        }
    }

    /// Returns the distance in the time span of some fixes, metres.
    ///
    /// Both recordings begin at nearly the same time, and a third of a second is half a per cent of a minute. So the
    /// clocks are aligned where the speeds match best, independent of their scales.
    func meters(during fixes: [Fix]) -> Double {
        guard let first = fixes.first, let last = fixes.last, let begin = rows.first?.seconds else { return .nan }
        let points = fixes.compactMap { fix in
            fix.speedMetersPerSecond.map { (fix.timestamp.seconds(since: first.timestamp), $0) }
        }
        let offsets = stride(from: -1.0, through: 1.0, by: 0.01).map { begin + $0 }
        guard let best = offsets.min(by: { misfit(of: points, at: $0) < misfit(of: points, at: $1) }) else {
            return .nan
        }
        let count = 100 * Int(last.timestamp.seconds(since: first.timestamp))
        let step = last.timestamp.seconds(since: first.timestamp) / Double(count)
        return (0..<count).reduce(0) { $0 + speed(at: best + (Double($1) + 0.5) * step) * step }
    }

    /// Returns the remaining squares after the receiver's speeds are scaled to the bus's.
    private func misfit(of points: [(seconds: Double, speed: Double)], at offset: Double) -> Double {
        let pairs = points.map { ($0.speed, speed(at: offset + $0.seconds)) }
        let scale = pairs.reduce(0) { $0 + $1.0 * $1.1 } / pairs.reduce(0) { $0 + $1.1 * $1.1 }
        return pairs.reduce(0) { $0 + ($1.0 - scale * $1.1) * ($1.0 - scale * $1.1) }
    }

    /// Returns the linear interpolation between the rows, and the first or the last row outside of them.
    private func speed(at seconds: Double) -> Double {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].seconds <= seconds { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return rows[0].speed }
        guard low < rows.count else { return rows[rows.count - 1].speed }
        let (from, to) = (rows[low - 1], rows[low])
        return from.speed + (to.speed - from.speed) * (seconds - from.seconds) / (to.seconds - from.seconds)
    }
}
