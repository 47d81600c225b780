import OdographJSON
import OdographWire

/// A record as one line of JSON, with its channel.
package enum RecordLine {
    private static let prefixes = Dictionary(
        uniqueKeysWithValues: UplinkChannel.allCases.map {
            ($0, Array("{\"channel\":\"\($0.rawValue)\",\"payload\":".utf8))
        })
    private static let suffix = Array("}\n".utf8)

    /// Returns the line of a record.
    package static func line(_ channel: UplinkChannel, payload: [UInt8]) -> [UInt8] {
        (prefixes[channel] ?? []) + payload.jsonEscaped + suffix
    }

    /// Returns the line of a record whose number another record has.
    package static func conflictLine(_ channel: UplinkChannel, payload: [UInt8]) -> [UInt8] {
        Array("{\"channel\":\"\(channel.rawValue)\",\"conflict\":true,\"payload\":".utf8) + payload.jsonEscaped + suffix
    }
}
