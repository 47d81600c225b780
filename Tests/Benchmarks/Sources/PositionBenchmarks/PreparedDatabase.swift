import CivilTime
import Store

/// A database with a backlog, as an agent leaves it that was without a broker for long.
enum PreparedDatabase {
    /// - Parameters:
    ///   - count: records, none of them delivered.
    ///   - payloadBytes: the length of each.
    static func make(at path: String, count: Int, payloadBytes: Int = 350) async throws {
        Files.removeDatabase(path)
        let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
        let options = StoreOptions(synchronous: .normal, maximumBytes: 256 << 20)
        let (store, _) = try await AgentStore.open(at: path, options: options, now: start)
        for first in stride(from: 0, to: count, by: 1000) {
            let records = (first..<min(first + 1000, count)).map { index in
                let time = start.advanced(byMilliseconds: Int64(index) * 1000)
                return PendingRecord(kind: .location, timestamp: time) { identity in
                    payload(identity, at: time, index: index, bytes: payloadBytes)
                }
            }
            _ = try await store.commit(records, journal: [], now: start)
        }
        try await store.prepareForClosing()
    }

    private static func payload(_ identity: RecordIdentity, at time: Timestamp, index: Int, bytes: Int) -> [UInt8] {
        let head = """
            {"device_id":"van-7","location":{"uuid":"\(identity.uuid)","epoch":\(identity.epoch),\
            "seq":\(identity.seq),"timestamp":"\(time.iso8601)","age":120,"is_moving":true,"sample":false,\
            "mock":false,"odometer":\(Double(index) * 13.9),"odometer_error":18.1,"coords":{"latitude":40.4168,\
            "longitude":-3.7038,"accuracy":4.2,"speed":13.9,"heading":271.5},"extras":{"filler":"
            """
        let tail = "\"}}}"
        let fill = max(bytes - head.utf8.count - tail.utf8.count, 0)
        return Array(head.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: fill) + Array(tail.utf8)
    }
}
