/// The format of a file with positions that another program recorded.
package enum ImportFormat: String, CaseIterable, Sendable {
    /// Track points of GPX 1.0 or 1.1.
    case gpx
    /// The lines of a file `.rec` of the OwnTracks Recorder.
    case ownTracks = "owntracks"
    /// The table with commas that Traccar exports.
    case traccarTable = "traccar-csv"

    /// Finds the format of a file; nil if it is not clear.
    /// - Parameter head: The first bytes of the file.
    init?(head: [UInt8]) {
        let text = String(decoding: head, as: UTF8.self)
        let first = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix { !$0.isNewline }
        if first.hasPrefix("<") {
            self = .gpx
        } else if first.split(separator: "\t").count >= 3, text.contains("{") {
            self = .ownTracks
        } else if ["fixTime", "latitude", "longitude"].allSatisfy({ first.contains($0) }) {
            self = .traccarTable
        } else {
            return nil
        }
    }
}
