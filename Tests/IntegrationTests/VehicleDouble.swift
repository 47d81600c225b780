import Logging
import OdographCivilTime
import OdographJSON
import OdographLink
import OdographWire

/// A vehicle that keeps its records until a receipt says that they are safe, by the rules of delivery with receipts. It
/// is a second implementation of these rules, and it keeps its records in memory: only the others are interrupted.
actor VehicleDouble {
    /// The epoch of all its records.
    static let epoch: Int64 = 2_141_836_783_002_039

    private struct Kept {
        var channel: UplinkChannel
        var payload: [UInt8]
        /// The numbers that the record names.
        var named: Set<Int64> = []
        /// When it may be sent again.
        var due: ContinuousClock.Instant?
        /// How long it waits after the next time: twice as long each time, as in the agent, so that many vehicles do
        /// not flood a recorder that is only slow.
        var patience = VehicleDouble.shortestPatience

        mutating func noteSent() {
            due = .now + patience
            patience = min(patience * 2, VehicleDouble.longestPatience)
        }
    }

    /// The limits of the time after which a record is sent again that no receipt covers.
    private static let (shortestPatience, longestPatience) = (Duration.seconds(4), Duration.seconds(64))

    private let address: DeviceAddress
    private let client: MQTTClient
    private var kept: [Int64: Kept] = [:]
    private var receipt: Receipt?
    private var isConnected = false
    /// When the newest receipt came.
    private var heard = ContinuousClock.now
    private var loop: Task<Void, Never>?

    /// The number of the last record; 0 if there is none.
    private(set) var last: Int64 = 0
    /// The numbers of the records that it has given up for room.
    private(set) var givenUp: Set<Int64> = []
    /// The payloads of all its records.
    private(set) var payloads: [Int64: String] = [:]
    /// The reasons in its given-up records.
    private(set) var reasons: Set<LedgerRange.Reason> = []

    init(port: UInt16, device: String = "van-7") throws {
        address = try DeviceAddress(fleet: "acme", device: device)
        var link = LinkConfiguration(
            host: "127.0.0.1", port: port, transport: .plain, clientID: "double-\(device)")
        link.backoffMinimumSeconds = 0.1
        link.backoffMaximumSeconds = 1
        client = MQTTClient(configuration: link, logger: Logger(label: "double") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The number of kept records.
    var count: Int { kept.count }

    /// Connects, and sends again what is not covered.
    func start() {
        client.subscribe([address.receiptTopic(of: "main")])
        client.start()
        loop = Task {
            while true {
                let events = await client.events.nextBatch()
                guard !events.isEmpty else { return }
                for event in events { handle(event) }
            }
        }
        Task {
            while loop != nil {
                try? await Task.sleep(for: .milliseconds(300))
                sendAgain()
            }
        }
    }

    func stop() async {
        await client.stop()
        await loop?.value
        loop = nil
    }

    /// Makes records and sends each of them once.
    func make(_ count: Int) throws {
        for _ in 0..<count {
            last += 1
            let event = LocationEvent(
                uuid: Self.uuid(last), epoch: Self.epoch, seq: last, timestamp: Self.time(last), age: 5,
                isMoving: true, odometer: Double(last), odometerError: 1,
                coords: LocationCoordinates(latitude: 40, longitude: -3, accuracy: 4, speed: -1, heading: -1),
                activity: ActivityReading(type: .inVehicle, confidence: 90))
            try keep(.location, of: LocationMessage(deviceID: address.device, location: event))
        }
    }

    /// Gives up the oldest records, as for a full outbox.
    func giveUp(_ count: Int) throws {
        let oldest = kept.keys.sorted().prefix(count)
        guard oldest.count >= 2 else { return }
        var numbers = Set(oldest)
        for number in oldest { numbers.formUnion(kept.removeValue(forKey: number)?.named ?? []) }
        givenUp.formUnion(oldest)
        try name(numbers, reason: .quota)
    }

    // MARK: - Rules

    private func handle(_ event: LinkEvent) {
        switch event {
        case .connected:
            isConnected = true
            for number in kept.keys { kept[number]?.due = nil }
            try? report()
            sendAgain()
        case .disconnected: isConnected = false
        case .message(let message):
            guard let new = try? JSONCoder.decode(Receipt.self, from: message.payload),
                new.revision > receipt?.revision ?? 0
            else { return }
            receipt = new
            heard = .now
            apply(new)
        default: break
        }
    }

    private func apply(_ receipt: Receipt) {
        let safe = receipt.epochs.first { $0.epoch == Self.epoch }?.safe ?? 0
        for number in kept.keys where number <= safe { kept[number] = nil }
        let named = kept.values.reduce(into: Set<Int64>()) { $0.formUnion($1.named) }
        let lost = Set((1...max(last, 1)).filter { isMissing($0) && kept[$0] == nil && !named.contains($0) })
        if last > 0, !lost.isEmpty { try? name(lost, reason: .delivered) }
        sendAgain()
    }

    /// Returns whether the receipt in force says that a number is not covered.
    private func isMissing(_ number: Int64) -> Bool {
        guard let receipt else { return true }
        guard let entry = receipt.epochs.first(where: { $0.epoch == Self.epoch }) else { return !receipt.isPartial }
        if number > entry.through { return !entry.isPartial }
        return entry.missing.contains { $0.contains(number) }
    }

    private func sendAgain() {
        guard isConnected else { return }
        let now = ContinuousClock.now
        // A cluster of NATS can lose a subscription and keep the connection.
        if !kept.isEmpty, now - heard >= Self.longestPatience {
            heard = now
            client.subscribe([address.receiptTopic(of: "main")])
        }
        let due = kept.filter { number, record in
            record.due.map { $0 <= now } ?? true && (isMissing(number) || !record.named.isEmpty)
        }
        let chosen = due.sorted { $0.key < $1.key }.prefix(500)
        for (number, _) in chosen { kept[number]?.noteSent() }
        client.publish(
            chosen.map { _, record in
                OutgoingMessage(topic: address.backlogTopic(record.channel), payload: record.payload)
            })
    }

    private func name(_ numbers: Set<Int64>, reason: LedgerRange.Reason) throws {
        last += 1
        var ranges: [GivenUpRange] = []
        for number in numbers.sorted() {
            if let range = ranges.last, range.to + 1 == number {
                ranges[ranges.count - 1].to = number
            } else {
                ranges.append(GivenUpRange(epoch: Self.epoch, from: number, to: number, reason: reason))
            }
        }
        reasons.insert(reason)
        let record = GivenUpRecord(
            uuid: Self.uuid(last), epoch: Self.epoch, seq: last, timestamp: Self.time(last), ranges: ranges)
        try keep(.givenUp, of: GivenUpMessage(deviceID: address.device, givenUp: record), naming: numbers)
    }

    private func keep(_ channel: UplinkChannel, of message: some Encodable, naming named: Set<Int64> = []) throws {
        let payload = try JSONCoder.bytes(of: message)
        kept[last] = Kept(channel: channel, payload: payload, named: named)
        payloads[last] = String(decoding: payload, as: UTF8.self)
        if isConnected {
            kept[last]?.noteSent()
            client.publish([OutgoingMessage(topic: address.topic(channel), payload: payload)])
        }
    }

    private func report() throws {
        let receipts = receipt.map {
            [
                ReportedReceipt(
                    recorder: "main", databaseID: $0.databaseID, revision: $0.revision, receivedAt: Self.time(1))
            ]
        }
        let message = ReportedMessage(
            deviceID: address.device, timestamp: Self.time(last), agentVersion: "1.0", levels: [], errors: [],
            configuration: nil, configurationHash: "h", withinSchedule: true, nextScheduleChanges: [],
            tracking: TrackingState(isEnabled: true, offSchedule: nil, isMoving: true),
            geofences: ReportedGeofences(count: 0, hash: "", levels: [], errors: []), ledger: [],
            queue: QueueState(depth: kept.count, oldest: nil), receipts: receipts, features: [.receipts])
        client.publish([
            OutgoingMessage(
                topic: address.topic(.reported), payload: try JSONCoder.bytes(of: message), isRetained: true)
        ])
    }

    private static func time(_ seq: Int64) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: 1_790_000_000_000 + seq * 1000)
    }

    private static func uuid(_ seq: Int64) -> String {
        let digits = String(seq, radix: 16)
        return "00000000-0000-8000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}
