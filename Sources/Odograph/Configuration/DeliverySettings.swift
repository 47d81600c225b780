import OdographSettings
import OdographWire

/// The condition under which a record is delivered, so that the agent may delete it.
public struct DeliverySettings: Hashable, Sendable {
    /// A condition.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The broker has acknowledged the record.
        case broker
        /// A receipt of each store says that its database and its backups have the record.
        case receipt
    }

    /// The condition.
    public var mode = Mode.broker
    /// The names of the stores whose receipts count; 1 to 4.
    public var stores = ["main"]
    /// The time for which a record is kept at least while there is room, also if receipts permit its deletion, seconds.
    public var keepSeconds = 86_400.0

    /// Creates the default settings.
    public init() {}
}

extension DeliverySettings {
    private static let maximumStores = 4

    /// Reads the keys that begin with `delivery`.
    package init(_ reader: inout SettingsReader) {
        self.init()
        mode = reader.choice("delivery", default: mode)
        keepSeconds = reader.number("delivery_keep", default: keepSeconds, in: 0...315_360_000, unit: "seconds")
        let names = reader.strings("delivery_stores")
        guard reader.hasValue("delivery_stores") else { return }
        guard (1...Self.maximumStores).contains(names.count), Set(names).count == names.count else {
            reader.reject("delivery_stores", "write 1 to \(Self.maximumStores) different names")
            return
        }
        do throws(TopicNameError) {
            for name in names { _ = try DeviceAddress.validated(name, part: "store") }
            stores = names
        } catch {
            reader.reject("delivery_stores", error.description)
        }
    }
}
