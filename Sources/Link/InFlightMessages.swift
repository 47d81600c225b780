/// The messages that wait for their acknowledgement, by packet identifier.
///
/// libmosquitto assigns identifiers in sequence, 1 to 65,535 and again from 1, and does not check whether one is still
/// in use. The table has one slot for each identifier modulo its size. It accepts no message while the slot of the next
/// identifier is occupied. So an identifier is never in use twice, and memory is bounded.
struct InFlightMessages {
    /// A message that waits.
    struct Entry: Equatable {
        /// The packet identifier, 1 to 65,535.
        let identifier: UInt16
        /// The caller's identifier for the message.
        let token: UInt64?
        /// The topic of a message without a token; empty otherwise.
        let topic: String
        /// The monotonic time when the library got the message, in milliseconds.
        let sentAtMilliseconds: Int64
        /// The position of the message in the sending order.
        let order: Int
        /// The size of the message, in bytes.
        let bytes: Int
    }

    /// The largest number of messages that may wait.
    let maximum: Int
    /// The largest size of all messages that wait, in bytes. A single message may be larger.
    let maximumBytes: Int
    /// The number of messages that wait.
    private(set) var count = 0
    /// The size of the messages that wait, in bytes.
    private(set) var bytes = 0
    /// The identifier that the library assigns next.
    private(set) var nextIdentifier: UInt16 = 1
    /// The lower bound of the waiting identifiers, in their sequence.
    private var oldestIdentifier: UInt16 = 1
    /// The monotonic time when the oldest message at that time was acknowledged, in milliseconds.
    private var previousAcknowledgedAtMilliseconds = Int64.min
    private var nextOrder = 0
    /// The largest order of an acknowledged message; −1 if there is none.
    private var newestAcknowledgedOrder = -1
    /// Whether a message was acknowledged.
    var hasAcknowledged: Bool { newestAcknowledgedOrder >= 0 }
    /// The monotonic time when the newest acknowledged message was sent, in milliseconds.
    private(set) var newestAnsweredMilliseconds = Int64.min
    private var slots: [Entry?]
    private let mask: Int

    init(maximum: Int, maximumBytes: Int = .max) {
        self.maximum = maximum
        self.maximumBytes = maximumBytes
        var capacity = 2
        while capacity < maximum * 2 { capacity *= 2 }
        slots = Array(repeating: nil, count: capacity)
        mask = capacity - 1
    }

    /// Whether the library may get another message.
    var hasRoom: Bool { count < maximum && slots[Int(nextIdentifier) & mask] == nil }

    /// Whether the library may get another message of this size, in bytes.
    func hasRoom(forBytes size: Int) -> Bool { hasRoom && (count == 0 || size <= maximumBytes - bytes) }

    /// Notes that the library assigned an identifier to a message.
    mutating func insert(
        _ identifier: UInt16, token: UInt64?, topic: String = "", bytes size: Int = 0, nowMilliseconds: Int64
    ) {
        slots[Int(identifier) & mask] = Entry(
            identifier: identifier, token: token, topic: topic, sentAtMilliseconds: nowMilliseconds, order: nextOrder,
            bytes: size)
        bytes += size
        nextOrder += 1
        if count == 0 { oldestIdentifier = identifier }
        count += 1
        skipIdentifier(identifier)
    }

    /// Notes that the library used an identifier for a packet that is not tracked here.
    mutating func skipIdentifier(_ identifier: UInt16) {
        nextIdentifier = Self.successor(of: identifier)
        if count == 0 { oldestIdentifier = nextIdentifier }
    }

    /// Removes and returns the message with an identifier; nil if no message waits under it.
    mutating func acknowledge(_ identifier: UInt16, nowMilliseconds: Int64) -> Entry? {
        guard let entry = remove(identifier, nowMilliseconds: nowMilliseconds) else { return nil }
        newestAcknowledgedOrder = max(newestAcknowledgedOrder, entry.order)
        newestAnsweredMilliseconds = max(newestAnsweredMilliseconds, entry.sentAtMilliseconds)
        return entry
    }

    private mutating func remove(_ identifier: UInt16, nowMilliseconds: Int64) -> Entry? {
        let slot = Int(identifier) & mask
        guard let entry = slots[slot], entry.identifier == identifier else { return nil }
        slots[slot] = nil
        count -= 1
        bytes -= entry.bytes
        if identifier == oldestIdentifier { previousAcknowledgedAtMilliseconds = nowMilliseconds }
        advanceOldest()
        return entry
    }

    /// The monotonic time when the library got the oldest waiting message, in milliseconds; nil if none waits.
    var oldestSentAtMilliseconds: Int64? {
        count == 0 ? nil : slots[Int(oldestIdentifier) & mask]?.sentAtMilliseconds
    }

    /// The monotonic time, in ms, since when the oldest waiting message is the next to be acknowledged; nil for none.
    ///
    /// A broker acknowledges messages in the order in which it received them (MQTT 5 section 4.6). So a message is not
    /// late while the messages before it are still being acknowledged, however slow the network is. An acknowledgement
    /// of a later message does not replace a missing one.
    var awaitedSinceMilliseconds: Int64? {
        oldestSentAtMilliseconds.map { max($0, previousAcknowledgedAtMilliseconds) }
    }

    /// The messages that wait although a later one is acknowledged, in sending order.
    var missingAcknowledgement: [Entry] {
        slots.compactMap { $0 }.filter { $0.order < newestAcknowledgedOrder }.sorted { $0.order < $1.order }
    }

    /// Removes a message whose acknowledgement is no longer awaited.
    mutating func drop(_ entry: Entry, nowMilliseconds: Int64) {
        _ = remove(entry.identifier, nowMilliseconds: nowMilliseconds)
    }

    /// Removes and returns all waiting messages, in sending order.
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
