import FoundationEssentials
import Glibc
import Threads

/// `config/asyncapi.yaml` and its schemas, held against messages by a real validator of JSON Schema: a child process
/// that answers one question after the other, for all tests of this process.
public final class ContractValidator: Sendable {
    /// A message as it was seen at the broker.
    public struct Message: Sendable, Codable {
        /// Where it came.
        public var topic: String
        /// JSON.
        public var payload: String
        /// What the contract has against it.
        public var errors: [String]?

        /// - Parameters: as the properties of the same names.
        public init(topic: String, payload: String) {
            self.topic = topic
            self.payload = payload
        }
    }

    /// A document that the validator made up.
    public struct Case: Sendable, Codable {
        /// The document as JSON.
        public var payload: String
        /// What the schema has against it.
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

    /// A busy machine may take this long for an answer, milliseconds.
    private static let patienceMilliseconds: Int32 = 120_000

    private static let shared = Result { try ContractValidator() }

    private let child: ChildProcess
    private let folder: TemporaryFolder
    private let conversation: Lock<Conversation>

    /// The one validator of this process.
    public static func running() throws -> ContractValidator { try shared.get() }

    /// The program.
    public static let path = Corpora.projectRoot + "/Tests/Contract/validator"

    private init() throws {
        folder = try TemporaryFolder()
        // Writing to a validator that has ended is to fail, and not to end the tests.
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

    /// Those of some messages that the contract has something against. What was sent to the agent is not judged.
    public func faults(in messages: [Message]) throws -> [Message] {
        try ask(Question(messages: messages)).messages ?? []
    }

    /// What a schema has against a document.
    /// - Parameter schema: its file's name without `.schema.json`.
    public func errors(schema: String, payload: String) throws -> [String] {
        try ask(Question(schema: schema, payload: payload)).errors ?? []
    }

    /// A document with each key of a schema set to right and to wrong values, one at a time.
    public func cases(schema: String, base: String) throws -> [Case] {
        try ask(Question(schema: schema, base: base)).cases ?? []
    }

    /// What a schema says holds where nothing is said: JSON by the key's path, `a.b`.
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
    /// - Returns: false where the other side has ended.
    fileprivate func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(questions, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// - Returns: nil where the other side has ended.
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
