import Logging
import OdographCivilTime
import OdographLink
import OdographThreads
import OdographWire

/// The reading of messages, by turns of the vehicles.
extension FleetRecorder {
    /// The time for which the recorder reads messages before it takes new ones from the session.
    private static let readingSlice = Duration.milliseconds(50)

    /// The bytes that a message, and each record in it, counts beside its payload: about the other columns of a row.
    private static let messageBytes = 256

    /// Takes a message, unless its vehicle has sent too much. It is read when its turn comes.
    func take(_ message: Intake.Message) {
        let (vehicle, now) = (VehicleTopic.vehicle(of: message.topic, root: reader.root), ContinuousClock.now)
        if let refusal = intake.add(message, of: vehicle, at: now) { note(refusal, of: vehicle, at: now) }
        planReading()
    }

    private func note(_ refusal: IntakeRefusal, of vehicle: DeviceAddress?, at now: ContinuousClock.Instant) {
        counters.countRefused(refusal)
        if let vehicle { refusals.note(refusal, of: vehicle, at: now) }
    }

    /// Plans the reading of the next message.
    func planReading() {
        guard failure == nil, let seconds = intake.secondsToNext(at: .now) else { return }
        readingTurn.plan(at: .now + .seconds(seconds)) { await self.beginReading() }
    }

    private func beginReading() {
        readingTurn.begin()
        readWaiting()
        planReading()
    }

    /// Reads messages in turns, until it is time to take new ones.
    func readWaiting() {
        let end = ContinuousClock.now + Self.readingSlice
        while failure == nil, case let now = ContinuousClock.now, now < end,
            let (vehicle, message) = intake.next(at: now)
        {
            read(message, of: vehicle, at: now)
        }
    }

    func read(_ message: Intake.Message, of vehicle: DeviceAddress?, at now: ContinuousClock.Instant) {
        if let refusal = intake.refusal(of: vehicle, at: now) { return note(refusal, of: vehicle, at: now) }
        let contents: [BatchEntry.Content]
        switch message.content {
        case .payload(let payload): contents = reader.contents(topic: message.topic, payload: payload)
        case .oversized(let bytes):
            let reason = RejectionReason("longer than \(RecordingSettings.maximumPayloadBytes) bytes")
            contents = [.rejected(topic: message.topic, payload: [], bytes: bytes, reason: reason)]
        }
        let bytes = contents.reduce(Self.messageBytes) { $0 + $1.size + Self.messageBytes }
        intake.charge(bytes, to: vehicle, at: now)
        for content in contents { append(BatchEntry(content, received: message.received)) }
    }

    private func append(_ entry: BatchEntry) {
        batch.append(entry)
        guard failure == nil else { return }
        if batch.isFull {
            commit()
        } else {
            commitTurn.plan(at: .now + .seconds(limits.seconds)) { await self.beginCommit() }
        }
    }

    private func beginCommit() {
        commitTurn.begin()
        if failure == nil { commit() }
    }
}
