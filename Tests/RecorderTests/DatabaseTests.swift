import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographSQLite
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The recorder's database")
struct DatabaseTests {
    /// Records of all kinds on both lanes, a gap, a ledger, two vehicles, and messages that are no records.
    static func day() throws -> [Archive.Message] {
        [
            (van + "location", try Payloads.location(1)),
            (van + "location/backlog", try Payloads.location(2)),
            (van + "geofence", try Payloads.location(3, isGeofence: true)),
            (van + "timeline", try Payloads.timeline(4, event: "a", revision: 1)),
            (van + "timeline/backlog", try Payloads.timeline(5, event: "a", revision: 2)),
            (van + "timeline", try Payloads.timeline(6, event: "b", revision: 1, withdrawn: true)),
            (van + "location/backlog", try Payloads.location(9)),
            (van + "location", try Payloads.location(epoch: 8, 1)),
            (van + "reported", try Payloads.reported([Payloads.range(7...7)])),
            (van + "reported", try Payloads.reported([Payloads.range(7...8, count: 2)])),
            ("fleet/acme/van-8/location", try Payloads.location(2)),
            (van + "given_up", try Payloads.givenUp(10, [Payloads.named(2...8), Payloads.named(1...3, epoch: 9)])),
            (van + "given_up", try Payloads.givenUp(11, [Payloads.named(8...8), Payloads.named(20...21)])),
            (van + "location", Array("{}".utf8)),
            (van + "location", []),
        ]
    }

    /// Texts that a database may refuse: backslashes and line ends, a long topic, and records with a number of another
    /// one.
    static func trouble() throws -> [Archive.Message] {
        [
            (van + "timeline", try Payloads.timeline(30, event: "a\\c\nd\te", revision: 1)),
            (van + "timeline/" + String(repeating: "x", count: 9000), Array("no record".utf8)),
            (van + "location", [UInt8](repeating: 0, count: 4000)),
            (van + "location", try Payloads.location(31)),
            (van + "location", try Payloads.location(31, latitude: 41)),
            (van + "timeline", try Payloads.timeline(31, event: "c", revision: 1)),
        ]
    }

    /// Returns messages in another order, in which those with the number 31 keep theirs: the first one counts.
    static func shuffled(
        _ messages: [Archive.Message], using random: inout SplitMix64
    ) -> [Archive.Message] {
        let places = messages.indices.filter {
            String(decoding: messages[$0].payload, as: UTF8.self).contains("u7-31\"")
        }
        var rest = messages.indices.filter { !places.contains($0) }
        rest.shuffle(using: &random)
        for place in places { rest.insert(place, at: Int.random(in: 0...rest.count, using: &random)) }
        let order = places.makeIterator()
        var next = order
        return rest.map { index in
            guard places.contains(index), let place = next.next() else { return messages[index] }
            return messages[place]
        }
    }

    @Test("Any order, repetition and batch of messages gives the same contents")
    func anyOrder() throws {
        let day = try Self.day()
        let expected = try Archive()
        try expected.store(day)
        let contents = try expected.contents()
        #expect(contents["records"]?.count == 11 && contents["rejected"]?.count == 2)
        #expect(contents["ledger"]?.count == 1 && contents["conflicts"] == [])
        #expect(contents["given_up"]?.count == 4)
        #expect(
            contents["covered"]?.map { Array($0.dropFirst()) } == [
                ["7", "1", "11"], ["7", "20", "21"], ["8", "1", "1"], ["9", "1", "3"], ["7", "2", "2"],
            ])
        var random = SplitMix64(seed: 11)
        for _ in 0..<60 {
            var messages = day
            for _ in 0..<Int.random(in: 0...10, using: &random) {
                messages.append(day[Int.random(in: 0..<day.count, using: &random)])
            }
            messages.shuffle(using: &random)
            let archive = try Archive()
            while !messages.isEmpty {
                let count = Int.random(in: 1...messages.count, using: &random)
                try archive.store(Array(messages.prefix(count)))
                messages.removeFirst(count)
            }
            #expect(try archive.contents() == contents)
        }
    }

    /// The dates have the order 1, 2, 3; the numbers of the records have another.
    @Test("In every order, the revision with the latest date counts, and a withdrawn event stays withdrawn")
    func timeline() throws {
        let revisions = [
            (van + "timeline", try Payloads.timeline(3, event: "a", revision: 1, update: 1)),
            (van + "timeline", try Payloads.timeline(1, event: "a", revision: 2, update: 2)),
            (van + "timeline", try Payloads.timeline(2, event: "a", revision: 3, update: 3)),
            (van + "timeline", try Payloads.timeline(4, event: "b", revision: 1, update: 4)),
            (van + "timeline", try Payloads.timeline(5, event: "b", revision: 2, update: 5, withdrawn: true)),
        ]
        for order in permutations(Array(revisions.indices)) {
            let archive = try Archive()
            for index in order { try archive.store([revisions[index]]) }
            #expect(try archive.rows("SELECT event_id, revision FROM timeline") == [["a", "3"]], "\(order)")
            #expect(
                try archive.rows("SELECT event_id, revision, withdrawn FROM timeline_events ORDER BY 1")
                    == [["a", "3", "0"], ["b", "2", "1"]], "\(order)")
        }
    }

    @Test("Numbers make runs in every order of their arrival")
    func runs() throws {
        for order in permutations([1, 2, 3, 5, 6].map { Int64($0) }) {
            let archive = try Archive()
            for number in order { try archive.store([(van + "location", try Payloads.location(number))]) }
            #expect(try archive.rows("SELECT first, last FROM runs") == [["1", "3"], ["5", "6"]], "\(order)")
        }
    }

    @Test("A missing number is a gap, which the ledger explains or leaves open")
    func gaps() throws {
        let archive = try Archive()
        try archive.store(
            try [2, 3, 6, 7, 20].map { (van + "location", try Payloads.location($0)) }
                + [(van + "reported", Payloads.reported([Payloads.range(4...12, count: 5)]))])
        #expect(
            try archive.rows("SELECT fleet, device, epoch, first, last, reasons FROM gaps ORDER BY first") == [
                ["acme", "van-7", "7", "1", "1", "NULL"], ["acme", "van-7", "7", "4", "5", "thinned"],
                ["acme", "van-7", "7", "8", "19", "thinned"],
            ])
        #expect(
            try archive.rows("SELECT device, epoch, first, last FROM open_gaps ORDER BY first")
                == [["van-7", "7", "13", "19"]])
    }

    @Test("The numbers from before the recorder's time are no open gap", arguments: DatabaseKind.allCases)
    func beforeTheRecorder(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store(
            try [5000, 5001, 5003].map { (van + "location", try Payloads.location(epoch: 7, $0)) }
                + [(van + "location", try Payloads.location(epoch: 9, 2))])
        // A later epoch has begun in the recorder's time.
        #expect(
            try archive.rows("SELECT epoch, first, last FROM open_gaps ORDER BY epoch, first")
                == [["7", "5002", "5002"], ["9", "1", "1"]])
        let status = try RecorderStatus(of: archive.location)
        #expect(status.openGaps == 2 && status.openNumbers == 2)
    }

    /// Of epoch 3 nothing is stored: its numbers are given up up to 9, except 5.
    @Test("A given-up number is a gap with its reason, and no open gap; a stored record is no gap")
    func givenUp() throws {
        let archive = try Archive()
        try archive.store([
            (van + "location", try Payloads.location(1)), (van + "location", try Payloads.location(4)),
            (van + "location", try Payloads.location(9)),
            (
                van + "given_up",
                try Payloads.givenUp(
                    10,
                    [
                        Payloads.named(1...4, epoch: 3), Payloads.named(6...9, epoch: 3, .delivered),
                        Payloads.named(3...6),
                    ])
            ),
        ])
        #expect(
            try archive.rows("SELECT epoch, first, last, reasons FROM gaps ORDER BY epoch, first") == [
                ["3", "1", "9", "delivered,quota"], ["7", "2", "3", "quota"], ["7", "5", "8", "quota"],
            ])
        #expect(
            try archive.rows("SELECT epoch, first, last FROM open_gaps ORDER BY epoch, first")
                == [["3", "5", "5"], ["7", "2", "2"], ["7", "7", "8"]])
        #expect(try archive.rows("SELECT count(*) FROM positions") == [["3"]])
        let status = try RecorderStatus(of: .file(path: archive.file.path))
        #expect(status.records == 4 && status.givenUpNumbers == 8 + 3 && status.openNumbers == 4)
    }

    @Test("All conflicts are kept and counted")
    func manyConflicts() throws {
        let archive = try Archive()
        // More than the messages that violate the contract, of which only the newest are kept.
        let count = RejectedTable.maximumRows + 5
        try archive.store(
            (0...count).map { (van + "location", try Payloads.location(1, latitude: Double($0) / 1e6)) })
        #expect(try archive.rows("SELECT count(*), min(id) FROM conflicts") == [["\(count)", "1"]])
        #expect(try RecorderStatus(of: .file(path: archive.file.path)).conflicts == count)
    }

    @Test("The ledger keeps the newest entries of a vehicle, so that a report costs the same after many others")
    func ledgerBound() throws {
        let archive = try Archive()
        let message = { (report: Int64) throws -> Archive.Message in
            let entries = (1...64).map { entry -> LedgerRange in
                let number = report * 1000 + Int64(entry) * 3
                var range = Payloads.range(number...number)
                range.at = range.at.advanced(bySeconds: Double(report))
                return range
            }
            return (van + "reported", try Payloads.reported(entries))
        }
        try archive.store([("fleet/acme/van-8/reported", try message(1).payload)])
        for report in 1...20 { try archive.store([try message(Int64(report))]) }
        #expect(
            try archive.rows("SELECT device, count(*), min(first) FROM ledger JOIN vehicles ON vehicle = id GROUP BY 1")
                == [["van-7", "256", "17003"], ["van-8", "64", "1003"]])
        // More in one report than the contract allows.
        let entries = (1...65).map { Payloads.range(Int64($0) * 3...Int64($0) * 3) }
        try archive.store([(van + "reported", try Payloads.reported(entries))])
        #expect(try archive.rows("SELECT reason FROM rejected") == [["ledger has more than 64 elements"]])
    }

    @Test("An entry of the ledger replaces those that it contains, and other reasons stay")
    func ledger() throws {
        let small = try Payloads.reported([Payloads.range(1...5), Payloads.range(8...9, reason: .quota)])
        let large = try Payloads.reported([Payloads.range(1...9), Payloads.range(3...4, reason: .retention)])
        for messages in [[small, large], [large, small], [small, large, small]] {
            let archive = try Archive()
            for payload in messages { try archive.store([(van + "reported", payload)]) }
            #expect(
                try archive.rows("SELECT first, last, count, reason FROM ledger ORDER BY reason") == [
                    ["8", "9", "2", "quota"], ["3", "4", "2", "retention"], ["1", "9", "9", "thinned"],
                ])
        }
    }

    @Test("Another record with a known number is kept as a conflict, once for each contents")
    func conflicts() throws {
        let archive = try Archive()
        let first = try Payloads.location(1)
        let other = try Payloads.location(1, latitude: 41)
        let messages = [first, other, first, other, try Payloads.location(1, latitude: 42)]
        try archive.store(messages.map { (van + "location", $0) })
        try archive.store(messages.map { (van + "location/backlog", $0) })
        #expect(try archive.rows("SELECT latitude FROM records") == [["40.0"]])
        #expect(try archive.rows("SELECT epoch, seq FROM conflicts") == [["7", "1"], ["7", "1"]])
        #expect(
            try archive.rows("SELECT payload FROM conflicts ORDER BY id LIMIT 1")
                == [[String(decoding: other, as: UTF8.self)]])
    }

    @Test("A conflict of the timeline does not change the timeline")
    func timelineConflict() throws {
        let archive = try Archive()
        try archive.store([
            (van + "timeline", try Payloads.timeline(1, event: "a", revision: 1)),
            (van + "timeline", try Payloads.timeline(1, event: "a", revision: 9, update: 9)),
        ])
        #expect(try archive.rows("SELECT revision FROM timeline") == [["1"]])
        #expect(try archive.rows("SELECT count(*) FROM conflicts") == [["1"]])
    }

    @Test("The newest record of each kind has the greatest number of its epoch, and the latest time of the epochs")
    func latest() throws {
        let archive = try Archive()
        for number: Int64 in [4, 9, 2] { try archive.store([(van + "location", try Payloads.location(number))]) }
        try archive.store([(van + "location", try Payloads.location(epoch: 6, 5))])
        try archive.store([(van + "geofence", try Payloads.location(3, isGeofence: true))])
        #expect(
            try archive.rows("SELECT kind, epoch, seq FROM latest ORDER BY kind")
                == [["geofence", "7", "3"], ["location", "7", "9"]])
        try archive.store([(van + "location", try Payloads.location(epoch: 6, 50))])
        #expect(try archive.rows("SELECT epoch, seq FROM latest WHERE kind = 'location'") == [["6", "50"]])
    }

    @Test("A late offline of an earlier connection changes nothing, one of the newest connection counts")
    func status() throws {
        let archive = try Archive()
        func state(after payload: [UInt8]) throws -> [[String]] {
            try archive.store([(van + "status", payload)])
            return try archive.rows("SELECT state, connection FROM vehicles")
        }
        #expect(try state(after: Payloads.status(.online, connection: 5)) == [["online", "5"]])
        #expect(try state(after: Payloads.status(.offline, connection: 4)) == [["online", "5"]])
        #expect(try state(after: Payloads.status(.offline, connection: 5)) == [["offline", "5"]])
        // The numbers begin again after the database of the vehicle was deleted.
        #expect(try state(after: Payloads.status(.online, connection: 1)) == [["online", "1"]])
    }

    @Test("A report sets the time zone that it states, and removes it if it states none")
    func timeZone() throws {
        let archive = try Archive()
        func zone(after payload: [UInt8]) throws -> [[String]] {
            try archive.store([(van + "reported", payload)])
            return try archive.rows("SELECT time_zone, queue_depth FROM vehicles")
        }
        #expect(try zone(after: Payloads.reported([])) == [["NULL", "3"]])
        #expect(try zone(after: Payloads.reported([], timeZone: "Asia/Tokyo")) == [["Asia/Tokyo", "3"]])
        #expect(try zone(after: Payloads.reported([])) == [["NULL", "3"]])
    }

    @Test("Of the rejected messages, the newest are kept, and of each the beginning")
    func rejected() throws {
        let archive = try Archive()
        let count = RejectedTable.maximumRows + 50
        // Of one vehicle fewer are kept.
        try archive.store((0..<count).map { ("fleet/acme/van-\($0 % 20)/location", Array("no record \($0)".utf8)) })
        #expect(try archive.rows("SELECT count(*) FROM rejected") == [["\(RejectedTable.maximumRows)"]])
        #expect(
            try archive.rows("SELECT CAST(payload AS TEXT) FROM rejected ORDER BY id LIMIT 1") == [["no record 50"]])
        try archive.store([(van + "location", [UInt8](repeating: 0x20, count: 9000))])
        #expect(
            try archive.rows("SELECT bytes, length(payload) FROM rejected ORDER BY id DESC LIMIT 1")
                == [["9000", "4096"]])
    }

    @Test("A batch that fails leaves no trace, and succeeds later")
    func rollback() throws {
        let archive = try Archive()
        try archive.store([(van + "location", try Payloads.location(1))])
        let locking = try Connection<HarnessError>(path: archive.file.path)
        try locking.execute("BEGIN IMMEDIATE")
        let batch = Archive.entries([
            ("fleet/acme/van-9/location", try Payloads.location(1)), (van + "location", try Payloads.location(2)),
        ])
        #expect(throws: DatabaseFailure.locked(path: archive.file.path)) { try archive.database.write(batch) }
        try locking.execute("ROLLBACK")
        #expect(try archive.rows("SELECT count(*) FROM records") == [["1"]])
        try archive.database.write(batch)
        #expect(try archive.rows("SELECT count(*) FROM records") == [["3"]])
        #expect(try archive.rows("SELECT device FROM vehicles ORDER BY device") == [["van-7"], ["van-9"]])
    }

    @Test("A batch that fails in its middle leaves no trace, and its vehicles get keys later")
    func rollbackInTheMiddle() throws {
        let archive = try Archive()
        let pages = try #require(try archive.database.records.connection.firstInteger("PRAGMA page_count"))
        let batch = Archive.entries(
            try (1...2000).map { ("fleet/acme/van-\($0 % 3)/location", try Payloads.location($0)) })
        try archive.database.records.connection.execute("PRAGMA max_page_count = \(pages + 4)")
        #expect {
            try archive.database.write(batch)
        } throws: { error in
            if case .full = error as? DatabaseFailure { true } else { false }
        }
        #expect(try archive.rows("SELECT count(*) FROM records") == [["0"]])
        #expect(try archive.rows("SELECT count(*) FROM vehicles") == [["0"]])
        try archive.database.records.connection.execute("PRAGMA max_page_count = 100000")
        try archive.database.write(batch)
        #expect(try archive.rows("SELECT count(*) FROM records") == [["2000"]])
        #expect(
            try archive.rows("SELECT count(*) FROM records WHERE vehicle NOT IN (SELECT id FROM vehicles)") == [["0"]])
    }
}

/// Returns all orders of some values.
func permutations<Value>(_ values: [Value]) -> [[Value]] {
    guard values.count > 1 else { return [values] }
    return values.indices.flatMap { index in
        var rest = values
        let first = rest.remove(at: index)
        return permutations(rest).map { [first] + $0 }
    }
}
