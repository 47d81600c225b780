import Crontab

/// A hash that is the same in every run, for what is compared across restarts (FNV-1a, Fowler, Noll and Vo).
struct StableHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func combine(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            combine(byte: UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    mutating func combine(_ number: Double?) {
        combine(number?.bitPattern ?? .max)
    }

    mutating func combine(_ flag: Bool) {
        combine(byte: flag ? 1 : 0)
    }

    /// A text and its end, so that `ab`, `c` differs from `a`, `bc`; nil differs from the empty text.
    mutating func combine(_ text: String?) {
        guard let text else { return combine(byte: 0xFE) }
        for byte in text.utf8 { combine(byte: byte) }
        combine(byte: 0xFF)
    }

    private mutating func combine(byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}

extension Geofence {
    /// A number that stands for a fence's content, in ``GeofenceSet/identity``.
    /// - Parameter shapeFingerprint: `FenceIndex.fingerprint` of its shape.
    static func fingerprint(identifier: String, rule: GeofenceRule, shapeFingerprint: UInt64) -> UInt64 {
        var hash = StableHash()
        hash.combine(identifier)
        hash.combine(shapeFingerprint)
        hash.combine(rule.name)
        hash.combine(rule.notifiesOnEntry)
        hash.combine(rule.notifiesOnExit)
        hash.combine(rule.notifiesOnDwell)
        hash.combine(rule.loiteringDelaySeconds)
        hash.combine(rule.initial.rawValue)
        hash.combine(rule.significance)
        hash.combine(rule.schedule?.expression)
        hash.combine(rule.speedLimitMetersPerSecond)
        hash.combine(rule.extras)
        return hash.value
    }
}
