import OdographCivilTime
import Glibc
import OdographStore
import OdographWire

/// A database with a backlog, as after a long time without a broker.
enum PreparedDatabase {
    /// The time of the first record.
    private static let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)

    /// - Parameter count: The number of records, none of them delivered.
    static func make(at path: String, count: Int) async throws {
        Files.removeDatabase(path)
        do {
            let options = StoreOptions(synchronous: .normal, maximumBytes: 256 << 20)
            let (store, _) = try await AgentStore.open(at: path, options: options, now: start)
            for first in stride(from: 0, to: count, by: 1000) {
                let indices = first..<min(first + 1000, count)
                let records = zip(indices, try await store.nextIdentities(indices.count)).map { index, identity in
                    let time = start.advanced(byMilliseconds: Int64(index) * 1000)
                    let bytes = payload(identity, at: time, index: index)
                    return NewRecord(
                        identity, kind: .location, timestamp: time,
                        payload: RecordPayload(first: bytes[0], rest: bytes.dropFirst()))
                }
                try await store.commit(records, journal: [], now: start)
            }
            try await store.flushAcknowledgements()
        }
        try leaveState(in: path)
    }

    /// Makes a database as another program would store the same records: the payloads as they are published.
    static func makePlain(at path: String, count: Int, with program: String) throws {
        Files.removeDatabase(path)
        let identities = EpochIdentity(epoch: start.secondsSinceEpoch, seed: .random())
        var lines: [UInt8] = []
        for index in 0..<count {
            let time = start.advanced(byMilliseconds: Int64(index) * 1000)
            lines += payload(identities.identity(forSeq: Int64(index) + 1), at: time, index: index)
            lines.append(UInt8(ascii: "\n"))
        }
        let file = Files.path("payloads.txt")
        try Files.write(lines, to: file)
        try Files.run([program, "fill", path, file])
        unlink(file)
    }

    /// Starts and stops an agent, so that it saves the tracker's state.
    private static func leaveState(in path: String) throws {
        let agent = try RunningAgent(
            configuration: RunningAgent.configuration(
                port: try Broker.freePort(), database: path, source: try RunningAgent.silentSource()))
        try waitFor("the agent", seconds: 60) { try agent.status("seq") }
        agent.process.stop()
    }

    /// Returns a location record in the agent's form: its keys in order, without spaces.
    private static func payload(_ identity: RecordIdentity, at time: Timestamp, index: Int) -> [UInt8] {
        let noise = Double(index &* 7919 % 1000)
        return Array(
            """
            {"device_id":"van-7","location":{"activity":{"confidence":96,"type":"in_vehicle"},"age":120,\
            "coords":{"accuracy":4.2,"altitude":667.3,"ellipsoidal_altitude":718.9,"heading":271.5,\
            "latitude":\(text(40.4168 + noise / 1e7, 7)),"longitude":\(text(-3.7038 - noise / 1e7, 7)),"speed":13.9},\
            "epoch":\(identity.epoch),"is_moving":true,"mock":false,"odometer":\(text(Double(index) * 13.9, 1)),\
            "odometer_error":18.1,"sample":false,"seq":\(identity.seq),"timestamp":"\(time.iso8601)",\
            "uuid":"\(identity.uuid)"}}
            """.utf8)
    }
}
