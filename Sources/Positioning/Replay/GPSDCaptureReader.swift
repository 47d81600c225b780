import OdographCivilTime
import OdographModel

/// Reads the events of a capture of gpsd's JSON reports.
final class GPSDCaptureReader {
    /// The number of malformed lines before the first report after which the file counts as another format.
    private static let maximumLinesBeforeReport = 64

    private let file: CaptureFile
    private var lines = LineBuffer()
    private var interpreter: GPSDInterpreter
    private var head: ArraySlice<UInt8>
    private var isAtEnd = false
    private var reports = 0
    /// The events that were not returned yet, in reverse order.
    private var pending: [SourceEvent.Content] = []
    /// The current time in the capture, used for reports without a time.
    private var now: ClockReading?

    init(_ file: consuming CaptureFile, head: [UInt8], _ settings: ReplaySettings) {
        self.file = file
        self.head = head.withoutByteOrderMark
        interpreter = GPSDInterpreter(
            device: settings.device, silenceTimeoutSeconds: settings.silenceTimeoutSeconds,
            earliestDate: settings.earliestDate,
            isReplay: true)
    }

    var counters: SourceCounters {
        var counters = interpreter.counters
        counters[.overlongLine] = lines.overlongLines
        counters.linesRead += lines.overlongLines
        return counters
    }

    func next() throws(CaptureError) -> SourceEvent.Content? {
        while true {
            if let event = pending.popLast() { return event }
            guard let line = try nextLine() else { break }
            guard case .report(let report) = line else {
                try countSkipped(line)
                continue
            }
            reports += 1
            handle(report)
        }
        interpreter.finishCycle(into: &pending)
        pending.reverse()
        if let event = pending.popLast() { return event }
        try checkEnd()
        return nil
    }

    private func handle(_ report: GPSDReport) {
        if case .tpv(let tpv) = report, let time = tpv.time { now = ClockReading(replayed: time) }
        // Events before the first time get the epoch. A tracker does not need such states.
        let now = now ?? ClockReading(replayed: Timestamp(millisecondsSinceEpoch: 0))
        interpreter.handle(report, at: now, into: &pending)
        pending.reverse()
    }

    // MARK: - Lines

    private enum Line {
        case report(GPSDReport)
        case sentence
        case malformed

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            switch bytes.first.map({ Unicode.Scalar($0) }) {
            case nil, "$", "!", "#": self = .sentence
            default: self = GPSDReport(line: bytes).map { .report($0) } ?? .malformed
            }
        }
    }

    private func nextLine() throws(CaptureError) -> Line? {
        while true {
            if let line = lines.withNextLine({ Line($0) }) { return counted(line) }
            guard !isAtEnd else { return nil }
            let count = fill()
            guard count >= 0 else { throw file.lastError() }
            if count == 0 {
                isAtEnd = true
                guard let last = lines.withRemainder({ Line($0) }) else { return nil }
                if case .malformed = last, reports > 0 {
                    interpreter.updateCounters { $0.remark = "the file is cut in its last line" }
                }
                return counted(last)
            }
        }
    }

    private func fill() -> Int {
        guard head.isEmpty else {
            let taken = head
            head = []
            return lines.fill { buffer in
                buffer.copyBytes(from: taken)
                return taken.count
            }
        }
        return lines.fill { file.read(into: $0) }
    }

    private func counted(_ line: Line) -> Line {
        interpreter.updateCounters { $0.linesRead += 1 }
        return line
    }

    private func countSkipped(_ line: Line) throws(CaptureError) {
        if case .sentence = line {
            interpreter.updateCounters { $0[.notAReport] += 1 }
            return
        }
        interpreter.updateCounters { $0[.malformedLine] += 1 }
        if reports == 0, counters[.malformedLine] >= Self.maximumLinesBeforeReport {
            throw .notACapture(path: file.path, looksLike: "text or data of another kind")
        }
    }

    private func checkEnd() throws(CaptureError) {
        let counters = counters
        guard reports == 0 else {
            guard counters.fixes == 0 else { return }
            throw .noPositions(path: file.path, linesRead: counters.linesRead, skipped: counters.skipped)
        }
        let isRaw = counters[.notAReport] > 0 && counters[.malformedLine] == 0
        throw .notACapture(
            path: file.path, looksLike: isRaw ? "raw receiver sentences (NMEA)" : "text or data of another kind")
    }
}
