import OdographCivilTime
import OdographThreads
import OdographWire

/// The received messages that are not read yet. The vehicles take turns, a message each, so that a vehicle with many
/// messages does not hold up another one.
struct Intake {
    /// A received message.
    struct Message: Hashable {
        /// The contents.
        enum Content: Hashable {
            case payload([UInt8])
            /// The session has discarded the payload, which was longer than allowed.
            case oversized(bytes: Int)
        }

        let topic: String
        let content: Content
        /// When the recorder received it.
        let received: Timestamp

        /// The memory that it needs, about, bytes.
        fileprivate var size: Int {
            switch content {
            case .payload(let payload): payload.count + 256
            case .oversized: 256
            }
        }
    }

    /// The messages of a vehicle, and what it may add.
    private struct Line {
        var messages = FIFOQueue<Message>()
        var bytes = 0
        var allowance: VehicleAllowance
    }

    /// The most messages of all vehicles that wait before the recorder takes no more from the broker, bytes.
    static let maximumBytes = 64_000_000
    /// More vehicles than any fleet has. The memory stays bounded if a client invents names.
    private static let maximumVehicles = 100_000

    private let limits: VehicleLimits
    /// By vehicle; nil for topics that are of no vehicle.
    private var lines: [DeviceAddress?: Line] = [:]
    /// The vehicles with messages, in the order of their turns.
    private var turns = FIFOQueue<DeviceAddress?>()
    /// The vehicles of which more waits than may, although they have not added what they may in a minute: the recorder
    /// has not read it yet.
    private var unread: Set<DeviceAddress?> = []
    /// The size and the number of all messages that wait.
    private(set) var (bytes, count) = (0, 0)
    /// The numbers of refused messages of vehicles that are not stored yet.
    private(set) var refused: [DeviceAddress: Int] = [:]

    init(limits: VehicleLimits) { self.limits = limits }

    /// Whether no message waits.
    var isEmpty: Bool { turns.isEmpty }

    /// Whether the recorder must read what waits before it takes more from the broker.
    var isFull: Bool { bytes >= Self.maximumBytes || !unread.isEmpty }

    /// Adds a message of a vehicle.
    ///
    /// Many messages of a vehicle can wait because it has added what it may in a minute: then another one is refused.
    /// Or they wait because the recorder has not read them yet, so that it ``isFull``.
    /// - Returns: Why it is refused; nil if it waits now.
    mutating func add(
        _ message: Message, of vehicle: DeviceAddress?, at now: ContinuousClock.Instant
    ) -> IntakeRefusal? {
        if lines.count >= Self.maximumVehicles { lines = lines.filter { !$0.value.messages.isEmpty } }
        var line = lines.removeValue(forKey: vehicle) ?? Line(allowance: VehicleAllowance(at: now))
        defer { lines[vehicle] = line }
        let isLong = line.bytes + message.size > limits.waitingBytes
        let mustWait = line.allowance.secondsToNext(at: now, limits) > 0
        let refusal: IntakeRefusal? =
            line.allowance.isUsedUp(at: now, limits) ? .day : isLong && mustWait ? .waiting : nil
        if let refusal { return counted(refusal, of: vehicle) }
        if isLong { unread.insert(vehicle) }
        if line.messages.isEmpty { turns.append(vehicle) }
        line.messages.append(message)
        line.bytes += message.size
        bytes += message.size
        count += 1
        return nil
    }

    /// Removes and returns the next message; nil if none waits, or each vehicle has added what it may in a minute.
    /// - Parameter isLast: Whether all that waits is read at once, because the recorder stops.
    mutating func next(
        at now: ContinuousClock.Instant, isLast: Bool = false
    ) -> (vehicle: DeviceAddress?, message: Message)? {
        for _ in 0..<turns.count {
            guard let vehicle = turns.popFirst(), var line = lines.removeValue(forKey: vehicle) else { return nil }
            defer { lines[vehicle] = line }
            guard isLast || line.allowance.secondsToNext(at: now, limits) == 0 else {
                turns.append(vehicle)
                unread.remove(vehicle)
                continue
            }
            guard let message = line.messages.popFirst() else { continue }
            line.bytes -= message.size
            if line.bytes <= limits.waitingBytes { unread.remove(vehicle) }
            bytes -= message.size
            count -= 1
            if !line.messages.isEmpty { turns.append(vehicle) }
            return (vehicle, message)
        }
        return nil
    }

    /// Returns why a message that has waited is refused; nil if it may be read. Many can have come before the first was
    /// read.
    mutating func refusal(of vehicle: DeviceAddress?, at now: ContinuousClock.Instant) -> IntakeRefusal? {
        guard lines[vehicle]?.allowance.isUsedUp(at: now, limits) == true else { return nil }
        return counted(.day, of: vehicle)
    }

    private mutating func counted(_ refusal: IntakeRefusal, of vehicle: DeviceAddress?) -> IntakeRefusal {
        if let vehicle { refused[vehicle, default: 0] += 1 }
        return refusal
    }

    /// Notes what a message of a vehicle adds.
    mutating func charge(_ bytes: Int, to vehicle: DeviceAddress?, at now: ContinuousClock.Instant) {
        lines[vehicle]?.allowance.charge(bytes, at: now, limits)
    }

    /// Returns the time until a message can be read, seconds; nil if none waits.
    mutating func secondsToNext(at now: ContinuousClock.Instant) -> Double? {
        var least: Double?
        for vehicle in turns {
            let seconds = lines[vehicle]?.allowance.secondsToNext(at: now, limits) ?? 0
            if seconds == 0 { return 0 }
            least = min(least ?? seconds, seconds)
        }
        return least
    }

    /// Notes that the numbers of refused messages are stored.
    mutating func forgetRefused() { refused.removeAll() }
}
