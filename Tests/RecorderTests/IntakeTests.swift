import OdographCivilTime
import OdographHarness
import OdographThreads
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The messages that wait to be read")
struct IntakeTests {
    private let start = ContinuousClock.now

    private func vehicle(_ number: Int) throws -> DeviceAddress {
        try DeviceAddress(fleet: "acme", device: "van-\(number)")
    }

    private func message(_ text: String) -> Intake.Message {
        Intake.Message(
            topic: "t", content: .payload(Array(text.utf8)), received: Timestamp(millisecondsSinceEpoch: 0))
    }

    /// Returns the texts of the messages that can be read.
    private func texts(_ intake: inout Intake, at now: ContinuousClock.Instant) -> [String] {
        var texts: [String] = []
        while let next = intake.next(at: now) {
            if case .payload(let payload) = next.message.content {
                texts.append(String(decoding: payload, as: UTF8.self))
            }
        }
        return texts
    }

    @Test("A vehicle with one message waits for one message of each other vehicle, however many those have")
    func turns() throws {
        var intake = Intake(limits: VehicleLimits())
        for number in 1...500 {
            #expect(intake.add(message("a\(number)"), of: try vehicle(1), at: start) == nil)
            #expect(intake.add(message("b\(number)"), of: try vehicle(2), at: start) == nil)
        }
        #expect(intake.add(message("c"), of: try vehicle(3), at: start) == nil)
        #expect(intake.add(message("d"), of: nil, at: start) == nil)
        let texts = texts(&intake, at: start)
        #expect(texts.prefix(6) == ["a1", "b1", "c", "d", "a2", "b2"])
        #expect(texts.count == 1002 && intake.isEmpty && intake.bytes == 0)
    }

    @Test("A vehicle that has added what it may in a minute waits, and the others do not")
    func minute() throws {
        var limits = VehicleLimits()
        limits.minuteBytes = 6000
        var intake = Intake(limits: limits)
        let (loud, quiet) = (try vehicle(1), try vehicle(2))
        for text in ["a1", "a2"] { _ = intake.add(message(text), of: loud, at: start) }
        #expect(intake.next(at: start)?.vehicle == loud)
        intake.charge(9000, to: loud, at: start)
        _ = intake.add(message("b"), of: quiet, at: start)
        #expect(texts(&intake, at: start) == ["b"])
        // 3000 bytes are too many, and 100 bytes leak in a second.
        #expect(intake.secondsToNext(at: start) == 30)
        #expect(texts(&intake, at: start + .seconds(29)) == [])
        #expect(texts(&intake, at: start + .seconds(31)) == ["a2"])
        #expect(intake.secondsToNext(at: start + .seconds(31)) == nil)
    }

    @Test("Beyond the bounds of a day and of what waits, messages are refused and counted")
    func refusals() throws {
        var limits = VehicleLimits()
        (limits.minuteBytes, limits.dayBytes, limits.waitingBytes) = (6000, 86_400, 1000)
        var intake = Intake(limits: limits)
        let (loud, quiet) = (try vehicle(1), try vehicle(2))
        let long = String(repeating: "x", count: 400)
        #expect(intake.add(message(long), of: loud, at: start) == nil)
        intake.charge(6001, to: loud, at: start)
        #expect(intake.add(message(long), of: loud, at: start) == .waiting)
        #expect(intake.next(at: start + .seconds(1)) != nil)
        intake.charge(86_401 - 6001, to: loud, at: start)
        #expect(intake.add(message("x"), of: loud, at: start) == .day)
        #expect(intake.add(message("x"), of: quiet, at: start) == nil)
        #expect(intake.refused == [loud: 2])
        #expect(intake.add(message("x"), of: loud, at: start + .seconds(2)) == nil)
        intake.forgetRefused()
        #expect(intake.refused.isEmpty)
    }

    @Test("What waits only because it is not read yet is not refused, and holds up what the broker has")
    func unread() throws {
        var limits = VehicleLimits()
        (limits.minuteBytes, limits.waitingBytes) = (6000, 1000)
        var intake = Intake(limits: limits)
        let (loud, quiet) = (try vehicle(1), try vehicle(2))
        let long = String(repeating: "x", count: 400)
        for _ in 1...4 { #expect(intake.add(message(long), of: loud, at: start) == nil) }
        #expect(intake.add(message("b"), of: quiet, at: start) == nil)
        #expect(intake.isFull)
        // 656 bytes of the first vehicle stay.
        for _ in 1...4 { #expect(intake.next(at: start) != nil) }
        #expect(!intake.isFull && intake.bytes == 656)
        // Without an allowance the vehicle waits by itself, and what the broker has of others goes on.
        for _ in 1...2 { #expect(intake.add(message(long), of: loud, at: start) == nil) }
        #expect(intake.isFull)
        intake.charge(6001, to: loud, at: start)
        #expect(intake.next(at: start) == nil)
        #expect(!intake.isFull)
        #expect(intake.add(message(long), of: loud, at: start) == .waiting)
    }

    @Test("No message is lost or overtakes one of its vehicle", arguments: 0..<20)
    func order(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var limits = VehicleLimits()
        limits.minuteBytes = 10_000
        var intake = Intake(limits: limits)
        var (sent, read): ([DeviceAddress: [String]], [DeviceAddress: [String]]) = ([:], [:])
        var now = start
        func take(isLast: Bool) -> Bool {
            guard let next = intake.next(at: now, isLast: isLast), let vehicle = next.vehicle,
                case .payload(let payload) = next.message.content
            else { return false }
            read[vehicle, default: []].append(String(decoding: payload, as: UTF8.self))
            intake.charge(Int.random(in: 0...3000, using: &random), to: vehicle, at: now)
            return true
        }
        for number in 0..<3000 {
            if Bool.random(using: &random) {
                let vehicle = try vehicle(Int.random(in: 0..<7, using: &random))
                #expect(intake.add(message("\(number)"), of: vehicle, at: now) == nil)
                sent[vehicle, default: []].append("\(number)")
            } else if !take(isLast: false), let seconds = intake.secondsToNext(at: now) {
                #expect(seconds > 0)
                now += .seconds(seconds * Double.random(in: 0...1.1, using: &random))
            }
        }
        while take(isLast: true) {}
        #expect(read == sent && intake.bytes == 0)
    }

    @Test("A queue returns its elements in their order", arguments: 0..<5)
    func queue(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (queue, model): (FIFOQueue<Int?>, [Int?]) = (FIFOQueue(), [])
        for number in 0..<20_000 {
            if Int.random(in: 0..<100, using: &random) < (number < 10_000 ? 60 : 40) {
                let element = number.isMultiple(of: 7) ? nil : number
                queue.append(element)
                model.append(element)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : .some(model.removeFirst())))
            }
            #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
        }
        #expect(Array(queue) == model)
    }

    @Test("A topic belongs to the vehicle whose prefix it has, also without a meaning")
    func topics() throws {
        for topic in ["fleet/acme/van-1/location", "fleet/acme/van-1/location/x/y", "fleet/acme/van-1/batch/backlog"] {
            #expect(VehicleTopic.vehicle(of: topic, root: "fleet") == (try vehicle(1)))
        }
        for topic in ["fleet/acme/van-1", "other/acme/van-1/location", "fleet/acme/all/location", ""] {
            #expect(VehicleTopic.vehicle(of: topic, root: "fleet") == nil)
        }
    }

    @Test("A recorder tells which vehicle has sent too much, and stores the records of another one")
    func service() async throws {
        let broker = try await MosquittoBroker(configuration: "max_queued_messages 0")
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port) { $0.recording.limits.dayBytes = 100_000 }
        try await service.start()
        try await desk.flood(
            try (1...600).map { String(decoding: try Payloads.location($0), as: UTF8.self) },
            to: van + "location/backlog",
            isRetained: false)
        let other = String(decoding: try Payloads.location(1), as: UTF8.self)
        try await desk.publish(other, to: "fleet/acme/van-8/location")
        let isStored = try await eventually {
            let device = "SELECT device FROM records JOIN vehicles ON vehicle = vehicles.id WHERE device = 'van-8'"
            return try service.file.rows(device).isEmpty ? nil : true
        }
        #expect(isStored != nil)
        let isAllRead = try await eventually {
            let status = try RecorderStatus(of: .file(path: service.file.path))
            return status.records + status.refused == 601 ? true : nil
        }
        #expect(isAllRead != nil)
        let status = try RecorderStatus(of: .file(path: service.file.path))
        #expect(status.refused > 0 && status.refusedVehicles.keys.sorted() == ["acme/van-7"], "\(status.text)")
        #expect(status.text.contains("have sent too much: acme/van-7 \(status.refused)"))
        #expect(service.log.lines.count { $0.contains("acme/van-7 are refused") && $0.contains("day_megabytes") } == 1)
        try await service.stop()
    }
}
