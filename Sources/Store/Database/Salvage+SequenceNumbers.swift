import OdographCivilTime
import OdographWire

extension Salvage.Findings {
    /// Returns the ledger entry for the damaged database's sequence numbers without a record. Nil if there are none.
    ///
    /// - Parameters:
    ///   - reservation: The reservation of the damaged database. Nil if there is none.
    ///   - now: The time of the entry.
    func possiblyLostEntry(reservation: SequenceReservation?, at now: Timestamp) -> LedgerEntry? {
        guard let epoch = epoch ?? reservation?.epochIdentity.epoch else { return nil }
        let reserved = reservation?.epochIdentity.epoch == epoch ? reservation?.reservedThrough ?? 0 : 0
        let last = max(reserved, readableRange?.upperBound ?? 0)
        let first = isFrontDamaged ? 1 : readableRange?.lowerBound ?? 1
        guard first <= last else { return nil }
        let count = Int(last - first) + 1 - outboxCount
        guard count > 0 else { return nil }
        return LedgerEntry(
            epoch: epoch, fromSeq: first, toSeq: last, count: count, kind: nil, reason: .possiblyLost, at: now)
    }
}
