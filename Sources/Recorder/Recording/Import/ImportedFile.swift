import Glibc
import OdographCivilTime
import OdographSettings

/// A file of positions that another program recorded. It is read in pieces, so its size does not matter.
package struct ImportedFile: Hashable, Sendable {
    private static let pieceBytes = 1 << 16
    /// The longest line, bytes.
    private static let longestLine = 1 << 20
    private static let headBytes = 4096

    /// The path.
    package let path: String
    /// The format.
    package let format: ImportFormat
    private let zone: ZoneRules?
    private let now: Timestamp

    /// - Parameters:
    ///   - path: The path.
    ///   - format: The format; nil to find it.
    ///   - zone: The zone of times that have none; nil if it is not known. Then they cannot be read.
    ///   - now: The time. No position is from after the next day.
    /// - Throws: ``ImportFailure`` if the file cannot be opened, or its format is not clear.
    package init(_ path: String, format: ImportFormat?, zone: ZoneRules?, now: Timestamp = .now) throws(ImportFailure) {
        (self.path, self.zone, self.now) = (path, zone, now)
        var head: [UInt8] = []
        try Self.read(path) { piece in
            head += piece.prefix(Self.headBytes - head.count)
            return head.count < Self.headBytes
        }
        guard !head.isEmpty else { throw ImportFailure(.contents, path, "the file is empty") }
        guard let format = format ?? ImportFormat(head: head) else {
            let words = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw ImportFailure(.contents, path, "the format is not clear; give --format, one of \(words)")
        }
        self.format = format
    }

    /// Reads the file.
    /// - Parameter body: Takes each line with its number, from 1.
    /// - Throws: ``ImportFailure``, or the error of `body`.
    func forEach(_ body: (Int, ImportedLine) throws -> Void) throws {
        switch format {
        case .gpx: try readTrack(body)
        case .ownTracks:
            try readLines { number, line in try body(number, OwnTracksLine.read(line, now: now)) }
        case .traccarTable:
            var table: TraccarTable?
            try readLines { number, line in
                guard let table else {
                    table = TraccarTable(head: line, zone: zone, now: now)
                    guard table != nil else {
                        throw ImportFailure(
                            .contents, path, line: number,
                            "the head of the table needs fixTime, latitude and longitude; export CSV from Traccar")
                    }
                    return
                }
                try body(number, table.read(line))
            }
        }
    }

    private func readTrack(_ body: (Int, ImportedLine) throws -> Void) throws {
        guard var track = ImportedTrack(path, now: now) else { throw ImportFailure(.input, path, "out of memory") }
        var failure: (any Error)?
        try Self.read(path) { piece in
            do {
                try track.feed(piece, isLast: false, body)
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
        try track.feed([], isLast: true, body)
    }

    /// Passes each line that is not empty.
    private func readLines(_ body: (Int, String) throws -> Void) throws {
        var (rest, number): ([UInt8], Int) = ([], 0)
        var failure: (any Error)?
        func finish(_ line: some Collection<UInt8>) throws {
            number += 1
            let text = String(decoding: line, as: UTF8.self)
            let bare = text.hasPrefix("\u{FEFF}") && number == 1 ? text.dropFirst() : text[...]
            let end = bare.lastIndex { !$0.isWhitespace }
            if let end { try body(number, String(bare[...end])) }
        }
        try Self.read(path) { piece in
            do {
                var lines = piece.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                let last = lines.removeLast()
                for line in lines {
                    try finish(rest + line)
                    rest = []
                }
                rest += last
                guard rest.count <= Self.longestLine else {
                    throw ImportFailure(.contents, path, line: number + 1, "the line is longer than 1 MiB")
                }
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
        if !rest.isEmpty { try finish(rest) }
    }

    /// Passes the bytes of a file in pieces, until `body` returns false.
    private static func read(_ path: String, _ body: (ArraySlice<UInt8>) -> Bool) throws(ImportFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ImportFailure(.missing, path, FileReader.openingErrorText(errno, path))
        }
        defer { close(descriptor) }
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count == 0 { return }
            if count < 0 {
                if errno == EINTR { continue }
                throw ImportFailure(errno == EISDIR ? .missing : .input, path, FileReader.errorText(errno))
            }
            guard body(piece[..<count]) else { return }
        }
    }
}
