import OdographWire

/// The place of a document: what it is, and which vehicles get it.
public struct DocumentPlace: Hashable, Sendable {
    /// The kind of a document.
    public enum Kind: Hashable, Sendable {
        /// A configuration.
        case configuration
        /// A complete set of geofences.
        case geofences

        /// The channel of the documents.
        var channel: DownlinkChannel {
            switch self {
            case .configuration: .config
            case .geofences: .geofences
            }
        }

        /// The command with `set` or `push`, `history` and `rollback`.
        var command: String {
            switch self {
            case .configuration: "odograph fleet config"
            case .geofences: "odograph fleet geofences"
            }
        }
    }

    /// The kind.
    public let kind: Kind
    /// The level.
    public let level: DownlinkLevel
    /// The vehicle, if the document is for one.
    public let device: String?

    /// Creates a place from its parts.
    public init(_ kind: Kind, level: DownlinkLevel, device: String?) {
        (self.kind, self.level, self.device) = (kind, level, device)
    }
}

/// A document that this desk has published for a level.
public struct PublishedDocument: Hashable, Sendable {
    /// The place.
    public let place: DocumentPlace
    /// The topic.
    let topic: String
    /// The content.
    public let document: DesiredDocument

    /// The hash that vehicles report; nil if the document was removed.
    var reportedHash: String? { place.kind == .configuration && document.isRemoval ? nil : document.hash }

    /// The newest document of another sender that replaced this one.
    /// - Parameter arrivals: the documents in the order in which the broker delivered them.
    /// - Returns: nil if this one is the newest, or has not been delivered yet.
    func replacement(in arrivals: [DesiredDocument]) -> DesiredDocument? {
        guard let own = arrivals.lastIndex(where: { $0.hash == document.hash }), own + 1 < arrivals.count else {
            return nil
        }
        return arrivals.last
    }
}
