import Logging
import OdographModel
import OdographPositioning
import OdographStore
import OdographWire

/// The problems and log lines of the recording. It has their texts.
struct RecordingProblems: Sendable {
    /// The reason of `store_failed` beside those of ``Publisher``.
    private static let storing = "cannot store records"

    let registry: ProblemRegistry
    let logger: Logger

    func reportSourceState(_ state: SourceState, _ detail: String) {
        logger.info("positions: \(state.rawValue)", metadata: ["detail": "\(detail)"])
    }

    func raiseSourceFailed(_ source: any PositionSource, _ error: any Error) {
        logger.error("\(source.name): \(error)")
        registry.raise(.sourceFailed, "\(source.name): \(error)")
    }

    func raiseSourceLost(_ detail: String) {
        registry.raise(.sourceLost, "no positions: \(detail); run odograph doctor", at: .warning, in: logger)
    }

    /// - Parameter seconds: The time for which the receiver has repeated its position. nil if it does not.
    func reportFrozenPosition(forSeconds seconds: Double?) {
        report(
            .positionFrozen,
            seconds.map { seconds in
                "the receiver has repeated its position for \(Int(seconds)) s and reports that the vehicle moves; restart "
                    + "the receiver or gpsd"
            })
    }

    /// - Parameters:
    ///   - areDatesRejected: Whether it is lost because of the dates of the positions.
    ///   - isJammed: Whether the receiver says that it is jammed.
    func reportPosition(isLost: Bool, areDatesRejected: Bool, isImplausible: Bool, isJammed: Bool) {
        report(.positionLost, isLost ? areDatesRejected ? Self.rejectedDates : Self.lostPosition : nil)
        report(.positionImplausible, isImplausible ? Self.implausiblePosition(isJammed: isJammed) : nil)
    }

    private static let lostPosition =
        "no position, although the vehicle moves or moved last; check the antenna and its cable; run odograph doctor"
    private static let rejectedDates =
        "no position is used, because the receiver's dates and this machine's clock differ; compare them "
        + "(timedatectl, gpspipe -w), and correct the wrong one"
    private static func implausiblePosition(isJammed: Bool) -> String {
        let cause =
            isJammed
            ? "the receiver reports that it is jammed" : "a jammer or a fault of the receiver does that"
        return "the positions have jumped to a place that no movement leads to; \(cause); distance and geofences wait "
            + "until it is known which positions are right"
    }

    /// - Parameter sentence: The sentence of the problem. nil if there is none.
    private func report(_ code: Problem.Code, _ sentence: String?) {
        if let sentence {
            registry.raise(code, sentence, at: .warning, in: logger)
        } else {
            registry.clear(code)
        }
    }

    /// - Parameter silence: The sentence about silent sources of the vehicle's signals. nil if there is none.
    func reportSignals(silence: String?) { report(.signalsLost, silence) }

    /// - Parameter reason: The sentence about the receiver of beacons. nil if it works.
    func reportBeacons(unavailable reason: String?) { report(.beaconsLost, reason.map { "no beacons: \($0)" }) }

    func reportEnd(of source: any PositionSource) {
        let counters = source.counters
        logger.notice("\(source.name) has ended", metadata: ["fixes": "\(counters.fixes)"])
        if let remark = counters.remark { logger.warning("\(source.name): \(remark)") }
    }

    /// - Parameter hasReceiverDate: Whether the receiver reports dates, which do not agree with each other.
    func raiseTimeUnknown(hasReceiverDate: Bool) {
        let sentence =
            hasReceiverDate
            ? "the date is not known: the receiver's dates do not advance like the machine's uptime, and the machine's "
                + "clock is not set; check the output of gpspipe -w, or enable systemd-timesyncd or chrony"
            : "positions have no date: the receiver reports no date, and the machine's clock is not set; "
                + "make the receiver send RMC or ZDA sentences, or enable systemd-timesyncd or chrony"
        registry.raise(.timeUnknown, sentence, at: .warning, in: logger)
    }

    func clearTimeUnknown(positions: Int) {
        registry.clear(.timeUnknown)
        logger.notice("the time is known: pending positions now have a date", metadata: ["positions": "\(positions)"])
    }

    func raiseStateLost(_ loss: Recovery.Loss?) {
        guard let loss else { return }
        if loss.isOdometerLost { logger.error("\(loss.text)") } else { logger.notice("\(loss.text)") }
        registry.raise(.stateLost, loss.text)
    }

    func warnOfMissingGeofences() {
        logger.warning(
            "the geofences of the saved state are missing; they are in force again when the broker sends them")
    }

    func warnOfFileAside(_ path: String) {
        logger.warning("a file took the path of the database; it was renamed to \(path)")
    }

    /// - Parameters:
    ///   - waiting: The number of records in memory.
    ///   - dropped: The number of records that were given up, and that no ledger entry has yet.
    func raiseStoreFailed(_ error: any Error, waiting: Int, dropped: Int) {
        let sentence = "\(Self.storing): \(error); \(waiting) records are in memory"
        registry.raise(.storeFailed, sentence, reason: Self.storing, at: .error, in: logger)
        guard dropped > 0 else { return }
        let loss =
            "\(dropped) records were given up, the oldest of the records in memory; the ledger will "
            + "contain them when the store accepts records again"
        registry.raise(.recordsGivenUp, loss, at: .error, in: logger)
    }

    func clearStoreFailed() {
        if registry.clear(.storeFailed, reason: Self.storing) { logger.notice("records can be stored again") }
    }

    /// Reports dropped records after the commit that entered them in the ledger.
    func clearRecordsGivenUp(_ counts: [RecordKind: Int]) {
        let parts = RecordKind.allCases.compactMap { kind in counts[kind].map { "\(kind.channel.rawValue) \($0)" } }
        registry.clear(.recordsGivenUp)
        logger.warning("records were given up, because they could not be stored: \(parts.joined(separator: ", "))")
    }

    func warnOfGivingUp() {
        let sentence =
            "the database is full: the oldest records are given up, and the ledger has their numbers; restore the "
            + "connection, or raise store.maximum_size"
        logger.warning("\(sentence)")
    }

    func raiseFileLost(_ loss: FileLossReport) {
        // Clearing first raises the problem again as new, so that a repaired loss is always logged.
        if loss.failure == nil { registry.clear(.storeFileLost) }
        registry.raise(.storeFileLost, Self.message(for: loss), at: .error, in: logger)
    }

    private static func message(for loss: FileLossReport) -> String {
        if let failure = loss.failure {
            return
                "\(loss.cause), and it cannot be written again: \(failure); the agent tries again; if it ends "
                + "before that, all records until then are lost"
        }
        let aside = loss.asidePath.map { "; the other file was renamed to \($0)" } ?? ""
        return "\(loss.cause); the agent wrote a complete new file\(aside); find the cause"
    }

    /// Raises the problem that records are in memory only.
    func raiseStoreUnusable(_ error: any Error) {
        let sentence =
            "\(error); the agent keeps records in memory and tries the database again; if it ends before that, the "
            + "records are lost"
        registry.raise(.storeUnusable, sentence, at: .error, in: logger)
    }

    func clearStoreUnusable() {
        guard registry.clear(.storeUnusable) else { return }
        logger.notice("the database can be used again: the records from memory are in it")
    }
}
