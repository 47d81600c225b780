/// The messages that wait for their acknowledgement: packet identifier → the caller's token.
///
/// libmosquitto hands out identifiers in sequence, 1 to 65,535 and round again, without looking whether one is still
/// in use. The table has one slot for an identifier modulo its size, and takes no message while the slot of the next
/// identifier is taken: so no identifier is ever out twice, and memory is bounded.
struct InFlightMessages {
    /// What waits.
    struct Entry: Equatable {
        /// 1 to 65,535.
        let identifier: UInt16
        /// The caller's name for the message.
        let token: UInt64?
        /// Clock reading of when it was handed over, milliseconds.
        let sentAtMilliseconds: Int64
        /// Counts the messages in the order in which they were handed over.
        let order: Int
    }

    /// The most that may wait.
    let window: Int
    /// How many wait.
    private(set) var count = 0
    /// The identifier that the library gives next.
    private(set) var nextIdentifier: UInt16 = 1
    /// No identifier before this one waits.
    private var oldestIdentifier: UInt16 = 1
    /// Clock reading of when the message before the oldest was acknowledged, milliseconds.
    private var previousAcknowledgedAtMilliseconds = Int64.min
    private var nextOrder = 0
    /// Of the acknowledged messages the one that was handed over last, by its order; −1 for none.
    private var newestAcknowledgedOrder = -1
    private var slots: [Entry?]
    private let mask: Int

    init(window: Int) {
        self.window = window
        var capacity = 2
        while capacity < window * 2 { capacity *= 2 }
        slots = Array(repeating: nil, count: capacity)
        mask = capacity - 1
    }

    /// Whether another message may be handed to the library.
    var hasRoom: Bool { count < window && slots[Int(nextIdentifier) & mask] == nil }

    /// Notes that the library gave an identifier to a message.
    mutating func insert(_ identifier: UInt16, token: UInt64?, nowMilliseconds: Int64) {
        slots[Int(identifier) & mask] = Entry(
            identifier: identifier, token: token, sentAtMilliseconds: nowMilliseconds, order: nextOrder)
        nextOrder += 1
        if count == 0 { oldestIdentifier = identifier }
        count += 1
        skipIdentifier(identifier)
    }

    /// Notes that the library used an identifier for something that is not tracked here.
    mutating func skipIdentifier(_ identifier: UInt16) {
        nextIdentifier = Self.successor(of: identifier)
        if count == 0 { oldestIdentifier = nextIdentifier }
    }

    /// The message of an acknowledgement; nil where none waits under this identifier.
    mutating func acknowledge(_ identifier: UInt16, nowMilliseconds: Int64) -> Entry? {
        guard let entry = remove(identifier, nowMilliseconds: nowMilliseconds) else { return nil }
        newestAcknowledgedOrder = max(newestAcknowledgedOrder, entry.order)
        return entry
    }

    private mutating func remove(_ identifier: UInt16, nowMilliseconds: Int64) -> Entry? {
        let slot = Int(identifier) & mask
        guard let entry = slots[slot], entry.identifier == identifier else { return nil }
        slots[slot] = nil
        count -= 1
        if identifier == oldestIdentifier { previousAcknowledgedAtMilliseconds = nowMilliseconds }
        advanceOldest()
        return entry
    }

    /// Clock reading of when the longest waiting message was handed over; nil where none waits.
    var oldestSentAtMilliseconds: Int64? {
        count == 0 ? nil : slots[Int(oldestIdentifier) & mask]?.sentAtMilliseconds
    }

    /// Since when the longest waiting message is the next one that the broker should acknowledge, by the clock; nil where none
    /// waits.
    ///
    /// A broker acknowledges in the order in which it was sent the messages (MQTT 5 section 4.6). So a message is not late as
    /// long as those before it are acknowledged, however slow the network is; and an acknowledgement of a later message
    /// does not make up for one that is missing.
    var awaitedSinceMilliseconds: Int64? {
        oldestSentAtMilliseconds.map { max($0, previousAcknowledgedAtMilliseconds) }
    }

    /// The messages that wait although a later one is acknowledged, in the order in which they were handed over.
    var missingAcknowledgement: [Entry] {
        slots.compactMap { $0 }.filter { $0.order < newestAcknowledgedOrder }.sorted { $0.order < $1.order }
    }

    /// Takes out a message that is not waited for any longer.
    mutating func drop(_ entry: Entry, nowMilliseconds: Int64) {
        _ = remove(entry.identifier, nowMilliseconds: nowMilliseconds)
    }

    /// Takes out all that wait, in the order in which they were handed over.
    mutating func removeAll() -> [Entry] {
        var entries: [Entry] = []
        while count > 0, let entry = slots[Int(oldestIdentifier) & mask] {
            entries.append(entry)
            drop(entry, nowMilliseconds: entry.sentAtMilliseconds)
        }
        return entries
    }

    private mutating func advanceOldest() {
        guard count > 0 else {
            oldestIdentifier = nextIdentifier
            return
        }
        while slots[Int(oldestIdentifier) & mask]?.identifier != oldestIdentifier {
            oldestIdentifier = Self.successor(of: oldestIdentifier)
        }
    }

    private static func successor(of identifier: UInt16) -> UInt16 {
        identifier == .max ? 1 : identifier + 1
    }
}
