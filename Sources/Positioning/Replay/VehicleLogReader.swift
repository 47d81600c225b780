import OdographCivilTime
import OdographModel
import OdographVehicleBus

/// Reads the vehicle's signals from a log of `candump -l` beside a capture, in bounded memory.
///
/// Frames of J1939 and answers of OBD-II are decoded as on a live bus. Their time is that of the log.
final class VehicleLogReader {
    /// The number of lines of another kind at the begin after which the file counts as another format.
    private static let maximumLinesBeforeFrame = 64

    private let file: CaptureFile
    private var lines = LineBuffer()
    private var isAtEnd = false
    private var frames = 0
    private var otherLines = 0
    /// The next frame, which is later than the time that was asked for.
    private var pendingLine: CandumpLine?
    private var decoded: [VehicleSignals] = []
    private var now: ClockReading?
    private var j1939: J1939Session?
    private var obd: OBDSession?

    /// Opens a log.
    /// - Throws: `CaptureError` if the file cannot be opened.
    init(path: String) throws(CaptureError) {
        do throws(CaptureError) {
            file = try CaptureFile(path: path)
        } catch {
            throw error == .notFound(path: path) ? .vehicleLogNotFound(path: path) : error
        }
    }

    /// Returns the next signals up to a time, in the order of time; nil if there are no more until then.
    /// - Throws: `CaptureError` if the file cannot be read, or is no log of candump.
    func next(notAfter limit: Timestamp) throws(CaptureError) -> VehicleSignals? {
        while true {
            if let first = decoded.first, first.received.systemTime <= limit { return decoded.removeFirst() }
            guard let line = try nextLine() else { return nil }
            guard line.time <= limit else {
                pendingLine = line
                return nil
            }
            handle(line)
        }
    }

    private func handle(_ line: CandumpLine) {
        // The frames of a log are in order, except after a change of the system's clock.
        let moment = ClockReading(replayed: max(line.time, now?.systemTime ?? line.time))
        now = moment
        var j1939 = j1939 ?? J1939Session(name: line.interface, at: moment)
        var obd = obd ?? OBDSession(name: line.interface, isRequesting: false, at: moment)
        // Signals that were due before this frame, such as the end of the ignition.
        advance(&j1939, &obd, to: moment)
        j1939.receive(line.frame, at: moment, emit: collect)
        obd.receive(line.frame, at: moment, emit: collect)
        advance(&j1939, &obd, to: moment)
        self.j1939 = j1939
        self.obd = obd
    }

    private func advance(_ j1939: inout J1939Session, _ obd: inout OBDSession, to moment: ClockReading) {
        j1939.advance(to: moment, emit: collect)
        _ = obd.advance(to: moment, emit: collect)
    }

    private func collect(_ event: VehicleBusEvent) {
        if case .signals(let signals) = event { decoded.append(signals) }
    }

    private func nextLine() throws(CaptureError) -> CandumpLine? {
        if let line = pendingLine {
            pendingLine = nil
            return line
        }
        while true {
            if let line = lines.withNextLine({ parsed($0) }) {
                if let frame = try counted(line) { return frame }
                continue
            }
            guard !isAtEnd else { return nil }
            let count = lines.fill { file.read(into: $0) }
            guard count >= 0 else { throw file.lastError() }
            if count == 0 {
                isAtEnd = true
                guard let line = lines.withRemainder({ parsed($0) }), let frame = try counted(line) else {
                    return nil
                }
                return frame
            }
        }
    }

    private func parsed(_ line: UnsafeBufferPointer<UInt8>) -> CandumpLine? {
        // Some editors write a byte order mark.
        CandumpLine(frames + otherLines == 0 ? UnsafeBufferPointer(rebasing: line.withoutByteOrderMark) : line)
    }

    private func counted(_ line: CandumpLine?) throws(CaptureError) -> CandumpLine? {
        guard line == nil else {
            frames += 1
            return line
        }
        otherLines += 1
        if frames == 0, otherLines >= Self.maximumLinesBeforeFrame { throw .notAVehicleLog(path: file.path) }
        return nil
    }
}
