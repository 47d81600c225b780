/// The form of a value in a message from outside: the bounds of its numbers, texts and lists.
///
/// The bounds are those of the contract's schemas; a test compares them. ``check(_:)`` is the only place that checks
/// them, so that no part behind it has to expect a number that a sum or a conversion cannot take.
package indirect enum MessageForm: Sendable {
    /// A value of any kind. It is JSON; nothing else is known of it.
    case free
    /// A number from one bound to the other, both included.
    case number(ClosedRange<Double>)
    /// A text of at most so many characters.
    case text(atMost: Int)
    /// A list of at most so many values of one form.
    case list(of: MessageForm, atMost: Int)
    /// An object. It can have members that are not known.
    case object(Members)
    /// An object whose members have names that the contract does not state, and one form.
    case map(of: MessageForm)

    /// The known members of an object, in the order of their names, in which an agent writes them.
    package struct Members: Sendable {
        /// The members.
        package let all: [(name: [UInt8], form: MessageForm)]

        /// - Parameter forms: At most 64 members.
        init(_ forms: [String: MessageForm]) {
            all = forms.map { (Array($0.utf8), $1) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
        }

        /// Returns the index of a name.
        /// - Parameter expected: The index that probably comes next.
        func index(of name: UnsafeBufferPointer<UInt8>, expected: Int) -> Int? {
            for index in expected..<all.count where isName(name, index) { return index }
            for index in 0..<min(expected, all.count) where isName(name, index) { return index }
            return nil
        }

        @inline(__always)
        private func isName(_ name: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
            all[index].name.count == name.count && all[index].name.elementsEqual(name)
        }
    }
}

extension MessageForm: ExpressibleByDictionaryLiteral {
    /// Creates an object of the members with these names.
    package init(dictionaryLiteral members: (String, MessageForm)...) {
        self = .object(Members(Dictionary(uniqueKeysWithValues: members)))
    }

    /// Returns the object with further members. A member of the same name is replaced.
    func adding(_ members: [String: MessageForm]) -> MessageForm {
        guard case .object(let own) = self else { return self }
        var all = Dictionary(uniqueKeysWithValues: own.all.map { (String(decoding: $0.name, as: UTF8.self), $0.form) })
        all.merge(members) { $1 }
        return .object(Members(all))
    }
}

/// The reason why a message from outside is refused, as a sentence.
package struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The members from the message to the value; empty for the whole message.
    private var path: [String] = []
    /// The rest of the sentence after the path.
    private let problem: String

    init(_ problem: String) { self.problem = problem }

    private init(_ keys: [any CodingKey], _ problem: String) {
        path = keys.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }
        self.problem = problem
    }

    /// Creates the error from one of the decoder.
    init(_ error: any Error) {
        switch error {
        case DecodingError.keyNotFound(let key, let context): self.init(context.codingPath + [key], "is missing")
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            self.init(context.codingPath, "has another type")
        case DecodingError.dataCorrupted(let context):
            self.init(context.codingPath, "is wrong: \(context.debugDescription.prefix(200))")
        default: self.init("is not readable")
        }
    }

    /// Returns the error of the value that contains this one.
    func inside(_ member: String) -> MessageError {
        var error = self
        error.path.insert(member, at: 0)
        return error
    }

    /// The sentence: the place, and what is wrong there.
    package var description: String {
        (path.isEmpty ? "the message" : path.joined(separator: ".")) + " " + problem
    }
}
