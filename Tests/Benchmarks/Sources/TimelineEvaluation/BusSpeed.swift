import CivilTime
import OdographModel
import Tracking

/// The speed that a vehicle's own bus said, by a clock that is not the receiver's.
struct BusSpeed {
    private let rows: [(seconds: Double, speed: Double)]

    /// - Parameter path: a table with `t_boot_s` and `speed_mps`.
    init(path: String) throws {
        rows = try table(ofFile: path).compactMap { row in
            row["t_boot_s"].flatMap(Double.init).flatMap { time in
                row["speed_mps"].flatMap(Double.init).map { (time, $0) }
            }
        }
    }

    /// The way in the time that some fixes span, metres.
    ///
    /// Both recordings begin about together, but not at one instant, and a third of a second is half a per cent of a
    /// minute: the clocks are laid over each other where the speeds fit best, whatever their scales.
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

    /// The squares that are left when the receiver's speeds are scaled to the bus's.
    private func misfit(of points: [(seconds: Double, speed: Double)], at offset: Double) -> Double {
        let pairs = points.map { ($0.speed, speed(at: offset + $0.seconds)) }
        let scale = pairs.reduce(0) { $0 + $1.0 * $1.1 } / pairs.reduce(0) { $0 + $1.1 * $1.1 }
        return pairs.reduce(0) { $0 + ($1.0 - scale * $1.1) * ($1.0 - scale * $1.1) }
    }

    /// Between the rows in a straight line; before the first and after the last as there.
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
