import OdographSettings
import OdographWire

extension SettingsReader {
    /// The most groups of a device. `reported` has two elements for each at most.
    private static let maximumGroups = 64

    /// Reads `groups`, the groups of a device, weakest first.
    /// - Returns: nil if the key is absent or null.
    package mutating func groups() -> [String]? {
        let names = strings("groups").enumerated().compactMap { index, name in group(name, at: index) }
        if names.count > Self.maximumGroups {
            reject("groups", "more than \(Self.maximumGroups) groups; write fewer")
        }
        guard hasValue("groups") else { return nil }
        // The last one of equal names decides about their priority.
        return names.indices.filter { !names[($0 + 1)...].contains(names[$0]) }.map { names[$0] }
    }

    private mutating func group(_ name: String, at index: Int) -> String? {
        do {
            return try DeviceAddress.validated(name, part: "group")
        } catch {
            reject("groups", "item \(index): \(error.description)")
            return nil
        }
    }
}
