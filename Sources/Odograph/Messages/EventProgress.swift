import OdographTracking

/// Finds revisions of the timeline that say only that an event lasts: its distance and its duration have grown.
struct EventProgress {
    private var newest: TimelineEvent?

    /// Takes the next revision.
    /// - Returns: Whether it says only that the event of the revision before it lasts.
    mutating func isProgress(_ event: TimelineEvent) -> Bool {
        defer { newest = event }
        guard let newest, event.id == newest.id, event.start == newest.start, event.tag == newest.tag else {
            return false
        }
        return event.isProvisional && event.end == nil && newest.end == nil && !event.isWithdrawn
            && Self.isSame(event.kind, newest.kind)
    }

    private static func isSame(_ kind: TimelineEvent.Kind, _ other: TimelineEvent.Kind) -> Bool {
        switch (kind, other) {
        case (.transport(let transport), .transport(let before)): transport.mode == before.mode
        case (.stationary(let place), .stationary(let before)): place?.venue == before?.venue
        case (.offTheGrid(let reason), .offTheGrid(let before)): reason == before
        case (.unknown, .unknown): true
        case (.transport, _), (.stationary, _), (.offTheGrid, _), (.unknown, _): false
        }
    }
}
