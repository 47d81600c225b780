import ArgumentParser
import OdographCivilTime
import OdographTerminal

/// Parses options that contain a time.
package enum TimeOption {
    /// Parses a time.
    /// - Parameters:
    ///   - text: the text of the option; nil if it is absent.
    ///   - zone: the time zone of a time without an offset; nil: UTC.
    package static func time(_ text: String?, zone: ZoneRules? = nil) throws -> Timestamp? {
        guard let text else { return nil }
        let read = zone.map { Timestamp(argument: text, now: .now, zone: $0) } ?? Timestamp(argument: text, now: .now)
        guard let read else {
            throw ValidationError(
                "\"\(text)\" is not a time; write it like 2026-11-21T09:15:02Z, 2026-11-21, or 2h for two hours ago.")
        }
        return read
    }

    /// Reads the rules of a time zone; nil if the option is absent.
    package static func zone(_ name: String?) throws -> ZoneRules? {
        guard let name else { return nil }
        do throws(ZoneError) {
            return try ZoneDirectory.system.rules(named: name)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Reads the rules of a time zone, or those of this machine if the option is absent.
    package static func localZone(_ name: String?) throws -> ZoneRules {
        if let rules = try zone(name) { return rules }
        do throws(ZoneError) {
            return try ZoneDirectory.system.systemRules()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Parses both ends of a time range. Each may be absent.
    package static func range(
        from: String?, to: String?, zone: ZoneRules? = nil
    ) throws -> (from: Timestamp?, to: Timestamp?) {
        let range = (from: try time(from, zone: zone), to: try time(to, zone: zone))
        if let from = range.from, let to = range.to, from > to {
            throw ValidationError("--from must not be later than --to; swap the two.")
        }
        return range
    }

    /// Parses both ends of a time range. An absent end is before or after all records.
    package static func times(from: String?, to: String?, zone: ZoneRules? = nil) throws -> Range<Timestamp> {
        let range = try range(from: from, to: to, zone: zone)
        return (range.from ?? .earliest)..<(range.to ?? .latest)
    }
}
