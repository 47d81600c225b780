import Glibc

/// Where a machine says which zone it is in.
public struct SystemTimeZoneSettings: Hashable, Sendable {
    /// The value of the environment's `TZ`; nil where it is not set.
    public var environmentValue: String?
    /// The link to, or copy of, the zone's file.
    public var localtimePath: String
    /// The file that Debian keeps the zone's name in.
    public var namePath: String

    /// - Parameters: as the properties of the same names.
    public init(
        environmentValue: String?, localtimePath: String = "/etc/localtime", namePath: String = "/etc/timezone"
    ) {
        self.environmentValue = environmentValue
        self.localtimePath = localtimePath
        self.namePath = namePath
    }

    /// This machine's: `TZ` and the files under `/etc`.
    public static var system: SystemTimeZoneSettings {
        SystemTimeZoneSettings(environmentValue: getenv("TZ").map { String(cString: $0) })
    }
}

extension ZoneDirectory {
    /// The machine's own zone, found as the C library finds it: `TZ` (a name, a path, or a POSIX rule), else
    /// `/etc/localtime`, else UTC.
    /// - Throws: ``ZoneError`` where `TZ` or the file says something that cannot be understood; the C library would
    ///   quietly take UTC.
    public func systemRules(_ machine: SystemTimeZoneSettings = .system) throws(ZoneError) -> ZoneRules {
        guard let value = machine.environmentValue else { return try localtimeRules(machine) }
        let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
        if name.isEmpty { return .utc }
        if name.hasPrefix("/") {
            return try Self.rules(atPath: name, identifier: Self.identifier(ofPath: name) ?? name)
        }
        do throws(ZoneError) {
            return try rules(named: name)
        } catch {
            if let rules = try? ZoneRules(identifier: name, posix: name) { return rules }
            throw error
        }
    }

    private func localtimeRules(_ machine: SystemTimeZoneSettings) throws(ZoneError) -> ZoneRules {
        let path = machine.localtimePath
        guard access(path, F_OK) == 0 else { return .utc }
        let rules = try Self.rules(atPath: path, identifier: "localtime")
        let name = Self.linkTarget(path).flatMap(Self.identifier(ofPath:)) ?? nameOfCopy(rules, machine.namePath)
        return name.map { rules.withIdentifier($0) } ?? rules
    }

    /// The name in Debian's file, where the zone of that name has the same rules as the copy.
    private func nameOfCopy(_ rules: ZoneRules, _ namePath: String) -> String? {
        guard let bytes = try? Self.bytes(ofFile: namePath) else { return nil }
        let name = String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
        return (try? self.rules(named: name))?.withIdentifier(rules.identifier) == rules ? name : nil
    }

    private static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self) : nil
    }

    /// What follows `zoneinfo/` in a path.
    static func identifier(ofPath path: String) -> String? {
        let parts = path.split(separator: "/")
        guard let folder = parts.lastIndex(of: "zoneinfo") else { return nil }
        let rest = parts[(folder + 1)...].drop { $0 == "posix" }.joined(separator: "/")
        return isZoneName(rest) ? rest : nil
    }
}

extension ZoneRules {
    func withIdentifier(_ identifier: String) -> ZoneRules {
        ZoneRules(
            identifier: identifier, transitionSeconds: transitionSeconds, offsets: offsets,
            initialOffsetSeconds: initialOffsetSeconds, yearlyRule: yearlyRule)
    }
}
