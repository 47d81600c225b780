import Odograph
import OdographCivilTime
import OdographJSON
import OdographTerminal
import OdographWire

/// The newest position of a vehicle at the broker.
public struct VehiclePosition: Hashable, Sendable {
    /// The name of the vehicle.
    public let device: String
    /// The record; nil if the broker retains none.
    public let location: LocationEvent?

    /// The position as a link of RFC 5870: `geo:40.41680,-3.70380;u=4`; nil if it is not known.
    public var link: String? {
        location.map { location in
            let coords = location.coords
            let error = coords.accuracy >= 0 ? ";u=\(coords.accuracy.formatted(decimals: 0))" : ""
            return "geo:\(coords.latitude.formatted(decimals: 5)),\(coords.longitude.formatted(decimals: 5))\(error)"
        }
    }

    /// Returns lines for people: the vehicle, the age and the time, the position with its error, and a link.
    /// - Parameters:
    ///   - now: The current time.
    ///   - width: The maximum number of characters per line; nil: no limit.
    public func text(now: Timestamp, width: Int?) -> String {
        var lines = [device]
        if let location, let link {
            let coords = location.coords
            lines.append(
                location.clockUntrusted == true
                    ? "  time unknown"
                    : "  \(Format.relative(location.timestamp, to: now)), \(Format.time(location.timestamp)) UTC")
            let error = coords.accuracy >= 0 ? " ± \(coords.accuracy.formatted(decimals: 0)) m" : ""
            lines.append(
                "  \(coords.latitude.formatted(decimals: 5)), \(coords.longitude.formatted(decimals: 5))\(error)")
            lines.append("  \(Self.motion(of: location))")
            lines.append("  \(link)")
        } else {
            lines.append("  the broker has no position of it")
        }
        return lines.map { Format.cut($0.printable, to: width) + "\n" }.joined()
    }

    /// The age from which a repeated fix says nothing about the present, milliseconds.
    private static let longestAge: Int64 = 300_000

    /// Returns the motion in words.
    private static func motion(of location: LocationEvent) -> String {
        let metersPerSecond = location.coords.speed
        if location.age >= longestAge {
            return "no position since then" + (location.isMoving ? "; it moves on" : "")
        }
        guard location.isMoving else { return "stationary" }
        guard metersPerSecond >= 0 else { return "moving" }
        // The dashboard has the same limit, a walking pace.
        return metersPerSecond < 1.2 ? "in traffic" : "moving, \((metersPerSecond * 3.6).formatted(decimals: 0)) km/h"
    }

    /// Returns the position as one JSON object and a newline. Unknown values are null.
    /// - Parameter now: The current time.
    public func json(now: Timestamp) throws -> String {
        var members: [String: JSONValue] = [
            "device": .string(device), "location": .null, "age_seconds": .null, "geo": .null,
        ]
        if let location {
            members["location"] = try JSONCoder.value(of: location)
            members["geo"] = link.map { .string($0) }
            if location.clockUntrusted != true {
                members["age_seconds"] = .number(now.seconds(since: location.timestamp).rounded())
            }
        }
        return try JSONCoder.string(of: JSONValue.object(members)) + "\n"
    }
}

extension FleetClient {
    /// Returns the newest positions of the vehicles that are known at this broker, and a sentence about each other one.
    /// The client must watch positions.
    public func positions(of devices: [String]) async -> (known: [VehiclePosition], unknown: [String]) {
        let areKnown: @Sendable (isolated FleetClient) -> Bool = { desk in
            devices.allSatisfy { desk.vehicles[$0]?.position != nil }
        }
        if await !wait(seconds: 2, until: areKnown), (try? await callRollIfNeeded()) ?? false {
            _ = await wait(seconds: Self.rollCallSeconds, until: areKnown)
        }
        var (known, unknown): ([VehiclePosition], [String]) = ([], [])
        for device in devices {
            do throws(ExitError) {
                if vehicles[device] == nil { try await requireRecipient(of: .device, device: device) }
                known.append(VehiclePosition(device: device, location: vehicles[device]?.position))
            } catch {
                unknown.append(error.text)
            }
        }
        return (known, unknown)
    }

    /// The time zone of a vehicle's days, as its report has it; nil if it is not known.
    public func zoneOfDays(of device: String) async -> String? {
        _ = await wait(seconds: 1) { $0.vehicles[device]?.report != nil }
        return vehicles[device]?.report?.timeZone
    }
}
