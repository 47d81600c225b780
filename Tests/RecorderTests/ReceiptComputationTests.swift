import OdographHarness
import OdographJSON
import OdographStore
import OdographWire
import Testing

@testable import OdographRecorder

/// The statement of a receipt about a number.
private enum Statement: Hashable {
    case covered, missing, nothing

    init(_ number: Int64, of entry: Receipt.Epoch) {
        if number > entry.through {
            self = entry.isPartial ? .nothing : .missing
        } else {
            self = entry.missing.contains { $0.contains(number) } ? .missing : .covered
        }
    }
}

@Suite("The computation of a receipt")
struct ReceiptComputationTests {
    /// All sets of the numbers 1 to 9, and all backups of them.
    @Test("It says of each number whether it is covered; safe is the first run, as far as a backup has it")
    func everySet() {
        let last: Int64 = 9
        for bits in 0..<(1 << last) {
            let covered = Set((1...last).filter { bits >> ($0 - 1) & 1 == 1 })
            let end = (1...last + 1).first { !covered.contains($0) }.map { $0 - 1 } ?? 0
            for backedUp in 0...last {
                let coverage = EpochCoverage(epoch: 3, runs: contiguousRanges(of: covered), backedUp: backedUp)
                for requiresBackup in [false, true] {
                    let entry = coverage.statement(requiresBackup: requiresBackup)
                    #expect(entry.epoch == 3 && !entry.isPartial && entry.through == covered.max() ?? 0)
                    #expect(entry.safe == (requiresBackup ? min(end, backedUp) : end))
                    for number in 1...last + 2 {
                        #expect(
                            Statement(number, of: entry) == (covered.contains(number) ? .covered : .missing),
                            "\(number) of \(covered)")
                    }
                }
            }
        }
    }

    @Test("Beyond 64 missing ranges it says nothing about the numbers from the 65th range on", arguments: 60...70)
    func limit(gaps: Int) {
        for isFirstMissing in [false, true] {
            // Every second number is covered. The last run begins after the last gap.
            let covered = Set((0...gaps).map { Int64(2 * $0 + (isFirstMissing ? 2 : 1)) })
            let missing = gaps + (isFirstMissing ? 1 : 0)
            let all = contiguousRanges(of: covered)
            for runs in [all, Array(all.prefix(EpochCoverage.maximumRuns))] {
                let entry = EpochCoverage(epoch: 1, runs: runs).statement(requiresBackup: false)
                #expect(entry.missing.count == min(missing, 64) && entry.isPartial == (missing > 64))
                if missing <= 64 { #expect(entry.through == covered.max()) }
                for number in 1...(covered.max() ?? 0) + 2 {
                    let truth: Statement = covered.contains(number) ? .covered : .missing
                    #expect([truth, entry.isPartial ? .nothing : truth].contains(Statement(number, of: entry)))
                    if number <= 128 { #expect(Statement(number, of: entry) == truth) }
                }
            }
        }
    }

    @Test("It has the greatest 64 epochs, and says that there are more")
    func epochs() throws {
        for count in [0, 1, 64, 65, 200] {
            let coverage = VehicleCoverage(
                epochs: (0..<count).map { EpochCoverage(epoch: Int64($0 + 1), runs: [1...2]) }, conflicts: 3)
            let receipt = coverage.receipt(databaseID: "s", revision: 5, interval: 600, requiresBackup: false)
            #expect(receipt.epochs.map(\.epoch) == Array((1...200).filter { $0 <= count }.map { Int64($0) }.suffix(64)))
            #expect(receipt.isPartial == (count > 64) && receipt.conflicts == 3)
            #expect(try JSONCoder.decode(Receipt.self, from: JSONCoder.bytes(of: receipt)) == receipt)
        }
    }

    /// The size of a PUBLISH packet of MQTT 5, and of its acknowledgement.
    private func bytes(_ receipt: Receipt, of vehicle: DeviceAddress) throws -> Int {
        let body = try 2 + vehicle.receiptTopic(of: "main").utf8.count + 2 + 1 + JSONCoder.bytes(of: receipt).count
        return 1 + (body < 128 ? 1 : 2) + body + 4
    }

    @Test("At 1,000 records an hour, the receipts have at most 2 bytes a record, also while a backlog drains")
    func size() throws {
        let vehicle = try DeviceAddress(fleet: "north-district", device: "van-0007")
        let epoch = EpochCoverage(epoch: 2_141_836_783_002_039, runs: [1...8_192_000], backedUp: 8_190_000)
        let receipt = VehicleCoverage(epochs: [epoch]).receipt(
            databaseID: "6f1d0c9be2a84735", revision: 1_790_000_000_123, interval: 600, requiresBackup: true)
        let size = try bytes(receipt, of: vehicle)
        #expect(size == 199)
        let receiptsPerHour = 3600 / receipt.interval
        #expect(size * receiptsPerHour <= 2 * 1000)
        #expect(size <= 2 * ReceiptSchedule.Times.drainRecords)
        // The longest receipt of one epoch.
        let runs: [ClosedRange<Int64>] = (0...70).map { run in
            let first = Int64(8_000_000 + 20 * run)
            return first...first + 9
        }
        let long = VehicleCoverage(epochs: [EpochCoverage(epoch: epoch.epoch, runs: runs)]).receipt(
            databaseID: "6f1d0c9be2a84735", revision: 1_790_000_000_123, interval: 600, requiresBackup: true)
        #expect(try (1200...1400).contains(bytes(long, of: vehicle)))
    }

    /// The numbers 1 to 3 whose bits are set.
    private func numbers(_ bits: Int) -> [Int64] {
        (0..<3).filter { bits >> $0 & 1 == 1 }.map { Int64($0 + 1) }
    }

    /// All pairs of stored and named numbers 1 to 3. The record with the number 4 names them.
    @Test("The database covers what is stored and what is named, in every order", arguments: 0..<8)
    func stored(storedBits: Int) throws {
        let vehicle = try DeviceAddress(fleet: "acme", device: "van-7")
        for namedBits in 1..<8 {
            let stored = numbers(storedBits)
            let named = numbers(namedBits)
            var messages = try stored.map { (van + "location", try Payloads.location($0)) }
            let names = contiguousRanges(of: named).map { Payloads.named($0) }
            messages.append((van + "given_up", try Payloads.givenUp(4, names)))
            for order in permutations(Array(messages.indices)) {
                let database = try RecordDatabase(path: ":memory:")
                for index in order { try database.write(Archive.entries([messages[index]])) }
                #expect(
                    try database.coverage(of: vehicle).epochs
                        == [EpochCoverage(epoch: 7, runs: contiguousRanges(of: stored + named + [4]))])
            }
        }
    }
}
