import FoundationEssentials
import Glibc
import OdographThreads

/// A validator of messages against `config/asyncapi.yaml` and its JSON schemas: one child process for all tests of this
/// process. It answers one question at a time.
public final class ContractValidator: Sendable {
    /// A message as a broker's client received it.
    public struct Message: Sendable, Codable {
        /// The topic.
        public var topic: String
        /// The payload, JSON.
        public var payload: String
        /// The violations of the contract; nil before the check.
        public var errors: [String]?

        /// - Parameters: As the properties of the same names.
        public init(topic: String, payload: String) {
            self.topic = topic
            self.payload = payload
        }
    }

    /// A document that the validator generated.
    public struct Case: Sendable, Codable {
        /// The document as JSON.
        public var payload: String
        /// The violations of the schema.
        public var errors: [String]
    }

    private struct Question: Codable {
        var messages: [Message]?
        var schema: String?
        var payload: String?
        var base: String?
        var defaults: Bool?
    }

    private struct Answer: Codable {
        var messages: [Message]?
        var errors: [String]?
        var cases: [Case]?
        var defaults: [String: String]?
    }

    fileprivate struct Conversation {
        var questions: Int32
        var answers: Int32
        var received: [UInt8] = []
    }

    /// The timeout for an answer, milliseconds. A busy machine needs a long one.
    private static let patienceMilliseconds: Int32 = 120_000

    private static let shared = Result { try ContractValidator() }

    private let child: ChildProcess
    private let folder: TemporaryFolder
    private let conversation: Lock<Conversation>

    /// Returns the only validator of this process, and starts it if necessary.
    public static func running() throws -> ContractValidator { try shared.get() }

    /// The path of the validator's program.
    public static let path = Corpora.projectRoot + "/Tests/Contract/validator"

    private init() throws {
        folder = try TemporaryFolder()
        // Writing to a validator that has ended must return an error, not end the tests.
        signal(SIGPIPE, SIG_IGN)
        let (questions, answers) = (folder.file("questions"), folder.file("answers"))
        guard mkfifo(questions, 0o600) == 0, mkfifo(answers, 0o600) == 0 else { throw HarnessError.system(folder.path) }
        child = try ChildProcess("sh", ["-c", "exec \"$0\" <\"$1\" >\"$2\"", Self.path, questions, answers])
        let writing = open(questions, O_WRONLY | O_CLOEXEC)
        let reading = open(answers, O_RDONLY | O_CLOEXEC)
        guard writing >= 0, reading >= 0 else { throw HarnessError.system(folder.path) }
        conversation = Lock(Conversation(questions: writing, answers: reading))
    }

    // MARK: Questions

    /// Returns the messages that violate the contract. Messages to the agent are not checked.
    public func faults(in messages: [Message]) throws -> [Message] {
        try ask(Question(messages: messages)).messages ?? []
    }

    /// Returns a document's violations of a schema.
    /// - Parameter schema: The schema file's name without `.schema.json`.
    public func errors(schema: String, payload: String) throws -> [String] {
        try ask(Question(schema: schema, payload: payload)).errors ?? []
    }

    /// Returns copies of a document in which each key of a schema has right and wrong values, one key at a time.
    public func cases(schema: String, base: String) throws -> [Case] {
        try ask(Question(schema: schema, base: base)).cases ?? []
    }

    /// Returns the defaults of a schema: JSON by the path of the key, `a.b`.
    public func defaults(schema: String) throws -> [String: String] {
        try ask(Question(schema: schema, defaults: true)).defaults ?? [:]
    }

    private func ask(_ question: Question) throws -> Answer {
        let line = try JSONEncoder().encode(question) + [UInt8(ascii: "\n")]
        let answer = try conversation.withLock { conversation in
            guard conversation.send(Array(line)) else { return nil as [UInt8]? }
            return try conversation.line(patienceMilliseconds: Self.patienceMilliseconds)
        }
        guard let answer else {
            throw HarnessError(
                "the validator has ended; it needs the Debian packages python3-jsonschema and python3-yaml: "
                    + child.errors)
        }
        return try JSONDecoder().decode(Answer.self, from: Data(answer))
    }
}

extension ContractValidator.Conversation {
    /// - Returns: False if the validator has ended.
    fileprivate func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(questions, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// - Returns: Nil if the validator has ended.
    fileprivate mutating func line(patienceMilliseconds: Int32) throws -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return Array(received[..<end])
            }
            var waiting = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, patienceMilliseconds) > 0 else {
                throw HarnessError("the validator does not answer")
            }
            let count = read(answers, &chunk, chunk.count)
            guard count > 0 else { return nil }
            received += chunk[..<count]
        }
    }
}
