import OdographWire

/// Divides the rows of an answer into parts of a bounded size.
struct AnswerParts {
    /// The most bytes of the rows of a part, with the commas between them.
    private let maximumBytes: Int
    private let id: String
    private let recorder: String
    private let timeZone: String?
    private var rows: [[UInt8]] = []
    private var bytes = 0
    private var part = 0
    /// The number of added rows.
    private(set) var count = 0
    private var omitted = 0

    /// - Parameters:
    ///   - id: The identifier of the request.
    ///   - recorder: The name of the recorder that answers.
    ///   - timeZone: The zone of the days; nil for rows that are not days.
    ///   - maximumBytes: The most bytes of a payload.
    init(id: String, recorder: String, timeZone: String?, maximumBytes: Int = HistoryAnswer.maximumBytes) {
        self.id = id
        self.recorder = recorder
        self.timeZone = timeZone
        self.maximumBytes = maximumBytes - HistoryAnswer.frameBytes
    }

    /// Adds a row.
    /// - Parameter row: A JSON object.
    /// - Returns: The part that is full without this row; nil if there is none.
    mutating func append(_ row: [UInt8]) -> HistoryAnswer? {
        count += 1
        guard row.count + 1 <= maximumBytes else {
            omitted += 1
            return nil
        }
        var full: HistoryAnswer?
        if bytes + row.count + 1 > maximumBytes { full = takePart(ending: nil) }
        rows.append(row)
        bytes += row.count + 1
        return full
    }

    /// Returns the last part.
    /// - Parameter next: The place of the next rows; nil if there are no more.
    mutating func end(next: String?) -> HistoryAnswer {
        takePart(ending: HistoryAnswer.Ending(count: count - omitted, omitted: omitted, next: next))
    }

    /// Returns a refusal as the last part, after an error.
    mutating func end(_ refusal: HistoryRefusal) -> HistoryAnswer {
        part += 1
        return HistoryAnswer(id: id, recorder: recorder, part: part, .refusal(refusal))
    }

    private mutating func takePart(ending: HistoryAnswer.Ending?) -> HistoryAnswer {
        part += 1
        defer { (rows, bytes) = ([], 0) }
        return HistoryAnswer(id: id, recorder: recorder, part: part, .rows(rows, timeZone: timeZone, ending: ending))
    }
}
