import OdographSettings
import OdographWire

/// The condition under which a record is delivered, so that the agent may delete it.
public struct DeliverySettings: Hashable, Sendable {
    /// A condition.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The broker has acknowledged the record.
        case broker
        /// A receipt of each recorder says that its database and its backups have the record.
        case receipt
    }

    /// The condition.
    public var mode = Mode.broker
    /// The names of the recorders whose receipts count; 1 to 4.
    public var recorders = ["main"]
    /// The time for which a record is kept at least while there is room, also if receipts permit its deletion, seconds.
    public var keepSeconds = 86_400.0

    /// Creates the default settings.
    public init() {}
}

extension DeliverySettings {
    private static let maximumRecorders = 4

    /// Reads the keys that begin with `delivery`.
    package init(_ reader: inout SettingsReader) {
        self.init()
        mode = reader.choice("delivery", default: mode)
        keepSeconds = reader.number("delivery_keep", default: keepSeconds, in: 0...315_360_000, unit: "seconds")
        let names = reader.strings("delivery_recorders")
        guard reader.hasValue("delivery_recorders") else { return }
        guard (1...Self.maximumRecorders).contains(names.count), Set(names).count == names.count else {
            reader.reject("delivery_recorders", "write 1 to \(Self.maximumRecorders) different names")
            return
        }
        do throws(TopicNameError) {
            for name in names { _ = try DeviceAddress.validated(name, part: "recorder") }
            recorders = names
        } catch {
            reader.reject("delivery_recorders", error.description)
        }
    }
}
