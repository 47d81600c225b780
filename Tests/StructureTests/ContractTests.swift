import OdographHarness
import Testing

/// The machine-readable contract. Other tests check the messages that the agent sends and accepts.
@Suite("The contract")
struct ContractTests {
    @Test("The schemas and references are valid, the right examples match, and the wrong ones do not")
    func check() async throws {
        let (ending, output, errors) = try await ChildProcess.run(ContractValidator.path, ["--check"], seconds: 60)
        #expect(ending == .exited(0), "\(output)\(errors)")
    }

    /// So four files show which topics are retained: `UplinkChannel.swift`, `DownlinkChannel.swift`,
    /// `CertificateChannel.swift`, and for the documents of another program `HomeAssistantDocument.swift`.
    @Test("Each message to the broker gets its retain flag from its channel")
    func retained() throws {
        let texts = try ["Sources/Odograph", "Sources/Operator", "Sources/CLI"].flatMap(
            ProjectTree.swiftFiles(below:)
        ).map { try $0.text() }
        let messages = texts.map { $0.matches(of: #/\bOutgoingMessage\(/#).count }
        let flag = #/isRetained: (?:\w+Channel\.\w+|channel|HomeAssistantDocument)\.isRetained/#
        let flags = texts.map { $0.matches(of: flag).count }
        #expect(messages == flags)
        #expect(messages.reduce(0, +) >= 6)
    }

    @Test("The contract has the content types and the expiry of published answers")
    func answers() throws {
        let contract = try ProjectTree.File(path: "config/asyncapi.yaml").text()
        let texts = try ["Sources/Odograph", "Sources/Recorder/Reading/History"].flatMap(
            ProjectTree.swiftFiles(below:)
        ).map { try $0.text() }
        let types = texts.flatMap { text in
            text.matches(of: #/"(application\/[a-z]+)"/#).map { "contentType: \($0.1)\n" }
        }
        let expiries = texts.flatMap { text in
            text.matches(of: #/expirySeconds: UInt32 = (\d+)/#).map { "messageExpiryInterval: \($0.1)," }
        }
        #expect(types.count >= 3 && expiries.count == 1)
        for line in types + expiries { #expect(contract.contains(line), "\(line)") }
    }

    /// Without such a test a code may never be raised.
    @Test("Each problem code is named in a test")
    func problems() throws {
        let codes = try ProjectTree.problemCodeMembers()
        #expect(codes.count >= 14)
        let tests = ["Tests/OdographTests", "Tests/IntegrationTests"].flatMap(ProjectTree.swiftFiles(below:))
        for (member, code) in codes {
            let isNamed = try tests.contains { try !$0.lines(with: ".\(member)").isEmpty }
            #expect(isNamed, "no test names \(code)")
        }
    }
}
