import Odograph
import OdographCivilTime
import OdographTerminal
import OdographWire

extension BudgetState {
    /// The state in one line: `12 % of 50 MB used since 2026-11-01 00:00:00; normal`.
    public var text: String {
        let part = "\(percent) % of \(Self.megabytes(limit)) used"
        let since = from.map { " since \(Format.time($0)) UTC" } ?? ", in a period that is not known yet"
        return "\(part)\(since); \(effect)"
    }

    /// The meaning of the step.
    private var effect: String {
        let end = until.map { "until \(Format.time($0)) UTC" } ?? "until the next period"
        return switch step {
        case .normal: "no effect"
        case .low: "records are sent in long batches \(end)"
        case .exhausted: "locations wait on the disk \(end); \(Self.megabytes(overshoot)) more were sent for events"
        default: "step \(step)"
        }
    }

    /// Returns a number of bytes in units of 1,000,000, as tariffs count them.
    private static func megabytes(_ bytes: Int64) -> String {
        let megabytes = Double(bytes) / 1e6
        return "\(megabytes.formatted(decimals: megabytes < 10 ? 2 : 0)) MB"
    }
}
