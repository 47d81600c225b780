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
}
