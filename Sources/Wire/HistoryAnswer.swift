import OdographJSON

/// A part of the answer to a request about the past. A large answer has several parts.
package struct HistoryAnswer: Hashable, Sendable {
    /// The end of an answer.
    package struct Ending: Hashable, Sendable {
        /// The number of rows in all parts.
        package var count: Int
        /// The number of rows that are left out, because one of them is longer than a message may be.
        package var omitted: Int
        /// `after` of the request for the next rows; nil if there are no more.
        package var next: String?

        /// - Parameters: As the properties of the same names.
        package init(count: Int, omitted: Int = 0, next: String?) {
            self.count = count
            self.omitted = omitted
            self.next = next
        }
    }

    /// The contents of a part.
    package enum Content: Hashable, Sendable {
        /// Rows, each a JSON object. The last part has the ending.
        case rows([[UInt8]], timeZone: String?, ending: Ending?)
        /// The request is refused. It is the only part, or the last one after an error.
        case refusal(HistoryRefusal)
    }

    /// The identifier of the request.
    package var id: String
    /// The name of the recorder that answers.
    package var recorder: String
    /// The number of the part, from 1.
    package var part: Int
    /// The contents.
    package var content: Content

    /// - Parameters: As the properties of the same names.
    package init(id: String, recorder: String, part: Int, _ content: Content) {
        self.id = id
        self.recorder = recorder
        self.part = part
        self.content = content
    }

    /// The longest payload of a part, bytes.
    package static let maximumBytes = 128_000
    /// The most bytes of a payload that are not rows.
    package static let frameBytes = 4096

    /// The payload: compact JSON with sorted keys.
    package var payload: [UInt8] {
        var members: [String: JSONValue] = [
            "id": .string(id), "recorder": .string(recorder), "part": .integer(Int64(part)),
        ]
        switch content {
        case .refusal(let refusal):
            members["status"] = .string("error")
            members["code"] = .string(refusal.code.rawValue)
            members["error"] = .string(refusal.text)
            members["is_last"] = .bool(true)
            return (try? JSONCoder.bytes(of: JSONValue.object(members))) ?? []
        case .rows(let rows, let timeZone, let ending):
            members["status"] = .string("ok")
            members["is_last"] = .bool(ending != nil)
            members["time_zone"] = timeZone.map { .string($0) }
            if let ending {
                members["count"] = .integer(Int64(ending.count))
                members["omitted"] = ending.omitted == 0 ? nil : .integer(Int64(ending.omitted))
                members["next"] = ending.next.map { .string($0) }
            }
            // Rows are JSON already. The marker cannot be in a text, whose quotation marks have a backslash.
            members["rows"] = .array([])
            let marker = Array(#""rows":["#.utf8)
            guard let frame = try? JSONCoder.bytes(of: JSONValue.object(members)),
                let place = frame.firstRange(of: marker)
            else { return [] }
            let separator = [UInt8(ascii: ",")]
            return Array(frame[..<place.upperBound]) + Array(rows.joined(separator: separator))
                + Array(frame[place.upperBound...])
        }
    }
}
