import OdographCivilTime
import Glibc
import OdographStore
import OdographWire

/// Commits in a loop until it is killed, for the crash test and for measurements with `strace`.
///
///     StoreCrashProbe PATH [normal]     prints each record; `normal`: with the option `synchronous` normal
///     StoreCrashProbe PATH COMMITS [RECORDS-A-COMMIT] [SNAPSHOT-EVERY] [keep: acknowledges nothing]
///     StoreCrashProbe PATH drain        reads and acknowledges all records and prints the cost
@main
struct StoreCrashProbe {
    static func main() async {
        let arguments = CommandLine.arguments
        func number(_ index: Int, _ fallback: Int) -> Int {
            arguments.count > index ? Int(arguments[index]) ?? fallback : fallback
        }
        guard arguments.count > 1 else { exit(EX_USAGE) }
        let (commits, size, snapshotEvery) = (number(2, .max), number(3, 1), number(4, 50))
        let start = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
        do {
            let isNormal = arguments.count == 3 && arguments[2] == "normal"
            let options = StoreOptions(synchronous: isNormal ? .normal : .full)
            let (store, _) = try await AgentStore.open(at: arguments[1], options: options, now: start)
            if arguments.count == 3, arguments[2] == "drain" { return try await drain(store) }
            if arguments.count > 2, !isNormal {
                // Acknowledges the records whose acknowledgement the previous run could not save, as the broker would.
                try await store.acknowledge(try await store.unacknowledged(limit: 10_000).map(\.key))
            }
            var count = 0
            // Marks the records of this process: no other process or commit has it.
            let own = UInt64.random(in: .min ... .max)
            while count < commits {
                count += 1
                let time = start.advanced(byMilliseconds: Int64(count) * 1000)
                let number = count
                let records = try await store.nextIdentities(size).map { identity in
                    let name = "\(identity.epoch) \(identity.seq) \(identity.uuid) \(own)-\(number) "
                    // The first digit of the epoch, then the rest.
                    let payload = RecordPayload(
                        first: name.utf8.first ?? 0x2E,
                        rest: Array(name.utf8.dropFirst()) + [UInt8](repeating: 0x2E, count: 290))
                    return NewRecord(identity, kind: .location, timestamp: time, payload: payload)
                }
                let journal = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: 60)
                let snapshot = count % snapshotEvery == 0 ? [UInt8](repeating: 1, count: 4000) : nil
                try await store.commit(records, journal: journal, snapshot: snapshot, now: time)
                let stored = records.map(\.record)
                if arguments.count <= 2 || isNormal {
                    say(stored)
                } else if arguments.count <= 5 {
                    try await store.acknowledge(stored.map(\.key))
                }
            }
        } catch {
            let text = Array("\(error)\n".utf8)
            _ = write(STDERR_FILENO, text, text.count)
            exit(EX_SOFTWARE)
        }
    }

    /// Reads in windows as the publisher does, and acknowledges each.
    private static func drain(_ store: AgentStore) async throws {
        let before = clock()
        var key: RecordKey?
        var count = 0
        while case let window = try await store.unacknowledged(after: key, limit: 200), let last = window.last {
            try await store.acknowledge(window.map(\.key))
            key = last.key
            count += window.count
        }
        try await store.flushAcknowledgements()
        let seconds = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        print("\(count) records, \(seconds) s of processor time, \(try await store.statistics())")
    }

    /// Prints one line per record at once. Every printed record was committed before.
    private static func say(_ stored: [StoredRecord]) {
        let lines = stored.flatMap { $0.payload.prefix { $0 != UInt8(ascii: ".") } + [UInt8(ascii: "\n")] }
        _ = write(STDOUT_FILENO, lines, lines.count)
    }
}
