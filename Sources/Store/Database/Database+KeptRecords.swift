import OdographCivilTime
import OdographWire

/// The kept records of one epoch: those of the present epoch are in the outbox, all others in `salvaged`.
extension Database {
    /// Calls `body` with the number and the instant of each kept record of an epoch, in the order of the numbers, until
    /// it returns false.
    borrowing func forEachKept(
        of epoch: Int64, from first: Int64 = 0, _ body: (Int64, Timestamp) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard epoch != counters.epochIdentity.epoch else { return try outbox.forEachTimestamp(from: first, do: body) }
        try salvaged.forEachTimestamp(from: RecordKey(epoch: epoch, seq: first)) { key, instant throws(StoreError) in
            guard key.epoch == epoch else { return false }
            return try body(key.seq, instant)
        }
    }

    /// Returns the number of the first kept record of an epoch from a number on. Nil if there is none.
    borrowing func firstKept(of epoch: Int64, from first: Int64 = 0) throws(StoreError) -> Int64? {
        var found: Int64?
        try forEachKept(of: epoch, from: first) { seq, _ in
            found = seq
            return false
        }
        return found
    }

    /// Returns the numbers of a range that kept records of an epoch have.
    borrowing func keptNumbers(of epoch: Int64, in range: ClosedRange<Int64>) throws(StoreError) -> NumberSet {
        var numbers = NumberSet()
        try forEachKept(of: epoch, from: range.lowerBound) { seq, _ in
            guard seq <= range.upperBound else { return false }
            numbers.insert(seq...seq)
            return true
        }
        return numbers
    }
}
