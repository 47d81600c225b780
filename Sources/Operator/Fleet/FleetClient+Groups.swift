import Odograph
import OdographJSON
import OdographTerminal
import OdographWire

extension FleetClient {
    /// Returns the configuration document of a vehicle that the broker retains, with other groups and otherwise
    /// unchanged.
    /// - Parameters:
    ///   - device: The vehicle.
    ///   - groups: Its groups, weakest first; nil: those of the vehicle's local file.
    /// - Throws: `ExitError` if the document is not an object, or if the vehicle uses one that the broker does not
    ///   retain: its other keys would be lost.
    public func document(of device: String, settingGroups groups: [String]?) async throws -> [UInt8] {
        let retained = try await retained(at: DocumentPlace(.configuration, level: .device, device: device))
        var members: [String: JSONValue] = [:]
        if let retained {
            guard case .object(let kept)? = try? JSON5Parser.value(of: retained.payload) else {
                throw ExitError(
                    .dataError,
                    "the document of \(device) at the broker (\(retained.document.text.printable)) is not an object in "
                        + "JSON5; replace it with \"odograph fleet config set FILE --device \(device)\"")
            }
            members = kept
        } else {
            // The retained report arrives shortly after the subscription.
            _ = await wait(seconds: 1) { $0.vehicles[device]?.report != nil }
            let level = vehicles[device]?.report?.levels.first { $0.level == device }
            if let level, level.isApplied || level.hashInForce != nil {
                throw ExitError(
                    .unavailable,
                    "\(device) uses a document that the broker does not retain, and that would be replaced: publish it "
                        + "again first (\"odograph fleet config rollback --device \(device)\"), or replace it with "
                        + "\"odograph fleet config set FILE --device \(device)\"")
            }
        }
        members["groups"] = groups.map { .array($0.map { .string($0) }) }
        return try JSONCoder.bytes(of: JSONValue.object(members))
    }
}
