/// The advertisements that belong to a named beacon.
public enum BeaconPattern: Hashable, Sendable {
    /// An iBeacon with a UUID of 16 bytes, and with a major and minor number unless these are nil.
    case iBeacon(uuid: [UInt8], major: UInt16?, minor: UInt16?)
    /// An Eddystone-UID with a namespace of 10 bytes, and with an instance of 6 bytes unless that is nil.
    case eddystone(namespace: [UInt8], instance: [UInt8]?)
    /// An address; `*` at the end stands for any rest. Upper case.
    case address(String)
    /// A name; each `*` stands for any number of characters.
    case name(String)

    /// Returns whether an advertisement belongs to the beacon.
    public func matches(_ advertisement: Advertisement) -> Bool {
        switch self {
        case .iBeacon(let uuid, let major, let minor):
            guard let beacon = advertisement.iBeacon else { return false }
            return beacon.uuid == uuid && (major ?? beacon.major) == beacon.major
                && (minor ?? beacon.minor) == beacon.minor
        case .eddystone(let namespace, let instance):
            guard let beacon = advertisement.eddystoneUID else { return false }
            return beacon.namespace == namespace && (instance ?? beacon.instance) == beacon.instance
        case .address(let pattern):
            return Self.isMatch(Array(pattern.utf8), Array(advertisement.address.uppercased().utf8))
        case .name(let pattern):
            guard let name = advertisement.name else { return false }
            return Self.isMatch(Array(pattern.utf8), Array(name.utf8))
        }
    }

    /// Whether a text matches a pattern with `*`. Takes at most the product of the lengths: a hostile name costs
    /// little.
    private static func isMatch(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var (place, offset) = (0, 0)
        var star: (place: Int, offset: Int)?
        while offset < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, offset)
                place += 1
            } else if place < pattern.count, pattern[place] == text[offset] {
                place += 1
                offset += 1
            } else if let last = star {
                star = (last.place, last.offset + 1)
                (place, offset) = (last.place + 1, last.offset + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

extension BeaconPattern {
    /// The most characters of an address or of a name in a pattern.
    public static let maximumTextBytes = 64

    /// Returns the bytes of a hexadecimal text, in which hyphens are ignored; nil unless it has this number of bytes.
    public static func bytes(of text: String, count: Int) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 2 * count else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns bytes as hexadecimal text in lower case.
    public static func text(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Returns an address or the beginning of one with `*` in upper case; nil if it is none.
    public static func addressPattern(_ text: String) -> String? {
        let pattern = text.uppercased()
        let body = pattern.hasSuffix("*") ? pattern.dropLast() : pattern[...]
        guard pattern.hasSuffix("*") ? (2...16).contains(body.utf8.count) : body.utf8.count == 17 else { return nil }
        for (index, byte) in body.utf8.enumerated() {
            let isValid = index % 3 == 2 ? byte == UInt8(ascii: ":") : digit(byte) != nil
            guard isValid else { return nil }
        }
        return pattern
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
