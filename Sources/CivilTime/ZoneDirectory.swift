import Glibc

/// The system's directory of time zone files. This type and ``SystemTimeZoneSettings`` are the only parts of the module
/// that access the system.
public struct ZoneDirectory: Hashable, Sendable {
    /// The directory's path, without a slash at its end.
    public let path: String

    /// Creates a directory reference.
    /// - Parameter path: A directory with the layout of `/usr/share/zoneinfo`.
    public init(path: String) {
        self.path = path
    }

    /// The directory named in `TZDIR`; by default `/usr/share/zoneinfo`.
    public static var system: ZoneDirectory {
        let named = getenv("TZDIR").map { String(cString: $0) } ?? ""
        return ZoneDirectory(path: named.isEmpty ? "/usr/share/zoneinfo" : named)
    }

    /// Reads a zone's rules. `UTC` needs no file.
    /// - Parameter name: An IANA name, for example `Europe/Madrid`. Case matters.
    /// - Throws: ``ZoneError``, with a suggestion if a similar name exists.
    public func rules(named name: String) throws(ZoneError) -> ZoneRules {
        guard Self.isZoneName(name) else { throw ZoneError(offset: name) ?? .badName(name) }
        if name == "UTC" || name == "Etc/UTC" { return ZoneRules(identifier: name, initialOffsetSeconds: 0) }
        let file = "\(path)/\(name)"
        guard access(file, F_OK) == 0 else {
            let names = names()
            if names.isEmpty { throw .noZoneFiles(folder: path) }
            if let error = ZoneError(offset: name) { throw error }
            throw .unknown(name: name, folder: path, suggestion: Self.suggestion(for: name, among: names))
        }
        return try Self.rules(atPath: file, identifier: name)
    }

    /// Returns the names of all zones, sorted; empty if the directory cannot be read.
    public func names() -> [String] {
        var found: [String] = []
        collect(prefix: "", into: &found)
        return found.sorted()
    }

    static func rules(atPath path: String, identifier: String) throws(ZoneError) -> ZoneRules {
        let bytes = try bytes(ofFile: path)
        do throws(ZoneRulesError) {
            return try ZoneRules(identifier: identifier, tzif: bytes)
        } catch {
            throw .malformed(path: path, error)
        }
    }

    /// Whether a name has only letters, digits, `_`, `+`, `-`, `.` and single slashes. Each part begins with a letter
    /// or digit, so that no name leads out of the directory.
    static func isZoneName(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.count <= 128 else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.utf8.first, first.isASCIILetter || first.isASCIIDigit else { return false }
            return part.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "_+-.".utf8.contains($0) }
        }
    }

    static func suggestion(for name: String, among names: [String]) -> String? {
        let wanted = name.lowercased().split(separator: "/").last.map(String.init) ?? ""
        // A zone that is named by an abbreviation or an offset has similar names with other times: PST and EST.
        let places = names.filter { name in
            name.contains { $0.isLowercase } && !name.contains { $0.isNumber || $0 == "+" } || name == "Etc/UTC"
        }
        func city(_ name: String) -> String { name.lowercased().split(separator: "/").last.map(String.init) ?? "" }
        if let same = names.first(where: { $0.lowercased() == name.lowercased() })
            ?? names.first(where: { city($0) == wanted })
        {
            return same
        }
        // An abbreviation, such as CEST, is no misspelt place.
        guard name.contains("/") || name.utf8.count > (name == name.uppercased() ? 5 : 4) else { return nil }
        return SpellingSuggestion.closestMatch(to: name, among: places)
            ?? SpellingSuggestion.closestMatch(to: wanted, among: places.map(city)).flatMap { meant in
                places.first { city($0) == meant }
            }
    }

    private func collect(prefix: String, into names: inout [String]) {
        guard let folder = opendir("\(path)/\(prefix)") else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            // "posix" and "right" repeat all zones. Names with "." or a lower-case first letter are not zones.
            guard Self.isZoneName(name), name.utf8.first.map({ $0 < 97 }) == true, !name.utf8.contains(46) else {
                continue
            }
            if entry.pointee.d_type == DT_DIR {
                collect(prefix: "\(prefix)\(name)/", into: &names)
            } else {
                names.append(prefix + name)
            }
        }
    }

    static func bytes(ofFile path: String) throws(ZoneError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        // One byte more than allowed, to detect files that are too large.
        var bytes = [UInt8](repeating: 0, count: ZoneRules.maximumFileBytes + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
            if got == 0 { break }
            count += got
        }
        return Array(bytes[..<count])
    }
}
