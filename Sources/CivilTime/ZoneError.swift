/// A reason why a time zone is not available.
public enum ZoneError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name is invalid: it is empty, leads out of the directory, or has other characters than zone names have.
    case badName(String)
    /// The name is an offset from UTC, such as `UTC+2`. `zone` is the zone with this offset in all years; nil if there
    /// is none.
    case offset(name: String, zone: String?)
    /// There is no such zone. `suggestion` is the zone that was probably meant.
    case unknown(name: String, folder: String, suggestion: String?)
    /// The system has no zone files.
    case noZoneFiles(folder: String)
    /// The file cannot be read; `reason` is the system's message.
    case unreadable(path: String, reason: String)
    /// The file is not a zone file.
    case malformed(path: String, ZoneRulesError)

    /// The problem and the remedy, as one line.
    public var description: String {
        switch self {
        case .badName(let name):
            "\"\(name)\" is not the name of a time zone; write an IANA name such as Europe/Madrid or UTC"
        case .offset(let name, let zone):
            "\"\(name)\" is an offset and not the name of a time zone; write the IANA name of a place, such as "
                + "Europe/Madrid"
                + (zone.map { zone in
                    zone.hasPrefix("Etc/")
                        ? ", or \(zone) for this offset in all seasons (in such a name, - is east of UTC)"
                        : ", or \(zone) for this offset in all seasons"
                } ?? "")
        case .unknown(let name, let folder, let suggestion):
            "no time zone \"\(name)\" in \(folder); "
                + (suggestion.map { "did you mean \($0)?" } ?? "write an IANA name such as Europe/Madrid or UTC")
        case .noZoneFiles(let folder):
            "no time zone files in \(folder); install the package tzdata, or set TZDIR to their folder"
        case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
        case .malformed(let path, let error): "\(path) is not a valid time zone file: \(error)"
        }
    }
}
