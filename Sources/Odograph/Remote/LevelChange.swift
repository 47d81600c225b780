import OdographSettings
import OdographTracking
import OdographWire

/// A change of the levels that apply to the device: it has joined groups, or left some, or their order has changed.
package struct LevelChange: Hashable, Sendable {
    /// The groups from now on, weakest first.
    package private(set) var groups: [String] = []
    /// The levels that the device has joined. Their documents have not arrived yet.
    package private(set) var joined: Set<DownlinkLevel> = []
    /// The levels that the device has left, also those that it has joined again since.
    package private(set) var left: Set<DownlinkLevel> = []

    /// Adds a later change.
    mutating func add(joined: Set<DownlinkLevel>, left: Set<DownlinkLevel>, groups: [String]) {
        self.groups = groups
        self.joined.subtract(left)
        self.joined.formUnion(joined)
        self.left.formUnion(left)
    }

    /// Returns the groups that the device's saved document sets.
    /// - Returns: nil if there is no such document, or it cannot be read, or it leaves them to the local file.
    package static func groups(
        in status: ConfigurationManifest.DocumentStatus, address: DeviceAddress
    ) -> [String]? {
        guard case .found(let bytes) = status else { return nil }
        let document = try? ConfigurationDocument(
            bytes, hash: "", level: .device, origin: address.topic(.device, .config))
        return document?.groups
    }
}

extension TrackingSettings {
    /// Whether there is time of which no position is recorded or published, by a setting that a document may have.
    var protectsTime: Bool {
        !core.isEnabled || schedule.hasPrivateTime || schedule.expression != nil && schedule.offSchedule.mode == .stop
    }
}
