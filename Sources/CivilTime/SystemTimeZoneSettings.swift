import Glibc

/// The places where a machine stores its time zone.
public struct SystemTimeZoneSettings: Hashable, Sendable {
    /// The value of the environment variable `TZ`; nil if it is not set.
    public var environmentValue: String?
    /// The path of the link to the zone's file, or of a copy of that file.
    public var localtimePath: String
    /// The path of the file in which Debian stores the zone's name.
    public var namePath: String

    /// Creates settings from their parts.
    public init(
        environmentValue: String?, localtimePath: String = "/etc/localtime", namePath: String = "/etc/timezone"
    ) {
        self.environmentValue = environmentValue
        self.localtimePath = localtimePath
        self.namePath = namePath
    }

    /// The settings of this machine: `TZ` and the files under `/etc`.
    public static var system: SystemTimeZoneSettings {
        SystemTimeZoneSettings(environmentValue: getenv("TZ").map { String(cString: $0) })
    }
}

extension ZoneDirectory {
    /// Returns the machine's zone, found as the C library finds it: `TZ` (a name, a path or a POSIX rule), otherwise
    /// `/etc/localtime`, otherwise UTC.
    /// - Throws: ``ZoneError`` if `TZ` or the file cannot be understood. The C library would use UTC without an error.
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

    /// Returns the name in Debian's file if the zone of that name has the same rules as the copy.
    private func nameOfCopy(_ rules: ZoneRules, _ namePath: String) -> String? {
        guard let bytes = try? Self.bytes(ofFile: namePath) else { return nil }
        let name = String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
        return (try? self.rules(named: name))?.withIdentifier(rules.identifier) == rules ? name : nil
    }

    static func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self) : nil
    }

    /// Returns the part of a path after `zoneinfo/`; nil if it is not a zone name.
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
