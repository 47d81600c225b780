import Odograph
import OdographTerminal
import OdographWire

extension DrivingReading {
    /// The event in at most 14 characters: `braking 0.52 g`, `idling 420 s`.
    var text: String {
        guard let peakG else { return "\(kind) \(duration.formatted(decimals: 0)) s" }
        let word = [Kind.acceleration: "accel.", .cornering: "corner"][kind] ?? "\(kind)"
        return "\(word) \(peakG.formatted(decimals: 2)) g"
    }
}
