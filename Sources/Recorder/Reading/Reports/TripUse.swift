import OdographWire

/// The use of a vehicle, as far as its records tell.
package enum TripUse: Hashable, Comparable, Sendable {
    /// The records have neither a tag nor private time.
    case ordinary
    /// The records have a tag: of a program on the vehicle, or because the schedule was closed in mode `tag`.
    case tagged(String)
    /// The use was private, see `TimelineEventRevision.isOfPrivateUse`. A tag beside it does not count.
    case privateUse

    /// Creates the use of an event.
    package init(_ event: TimelineEventRevision) {
        self = event.isOfPrivateUse ? .privateUse : event.tag.map { .tagged($0) } ?? .ordinary
    }

    /// The use as a word; empty for ordinary use.
    package var word: String {
        switch self {
        case .ordinary: ""
        case .tagged(let tag): tag
        case .privateUse: TimelineEventRevision.privateTag
        }
    }
}
