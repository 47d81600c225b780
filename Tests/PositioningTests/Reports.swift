import OdographModel

@testable import OdographPositioning

extension GPSDReport {
    /// Parses one line of gpsd.
    init?(line: String) {
        self.init(utf8: Array(line.utf8))
    }

    private init?(utf8: [UInt8]) {
        guard let report = utf8.withUnsafeBufferPointer({ GPSDReport(line: $0) }) else { return nil }
        self = report
    }
}

extension SourceEvent {
    /// The position, if the event is a dated position.
    var fix: Fix? {
        if case .fix(let fix) = content { fix } else { nil }
    }
}

extension GPSDSession {
    /// Handles bytes as if a connection had received them.
    mutating func receive(_ bytes: some Collection<UInt8>, at now: ClockReading, emit: (SourceEvent) -> Void) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let taken = lines.fill { buffer in
                let count = min(buffer.count, rest.count)
                buffer.copyBytes(from: rest.prefix(count))
                return count
            }
            rest = rest.dropFirst(taken)
            handleLines(at: now, emit: emit)
        }
    }
}
