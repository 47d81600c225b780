import Harness
import Testing

/// The contract for machines. What the agent sends and takes is held against it where it is sent and taken.
@Suite("The contract for machines")
struct ContractTests {
    @Test("Its schemas are schemas, its references lead somewhere, its examples fit, and what is wrong does not")
    func check() async throws {
        let (ending, output, errors) = try await ChildProcess.run(ContractValidator.path, ["--check"], seconds: 60)
        #expect(ending == .exited(0), "\(output)\(errors)")
    }

    /// Without such a test it is not known whether the code is ever raised.
    @Test("Every code of a problem is named in a test that causes it")
    func problems() throws {
        let codes = try ProjectTree.problemCodes()
        #expect(codes.count >= 14)
        let tests = ["Tests/OdographTests", "Tests/IntegrationTests"].flatMap(ProjectTree.swiftFiles(below:))
        for code in codes {
            let isNamed = try tests.contains { try !$0.lines(with: "\"\(code)\"").isEmpty }
            #expect(isNamed, "no test names \(code)")
        }
    }
}
