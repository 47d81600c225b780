import FoundationEssentials
import OdographHarness
import Testing

@Suite("Any sequence of fixes and interruptions")
struct StepSequenceTests {
    @Test("No random sequence breaks a rule of the timeline or of the odometer", arguments: UInt64(1)...60)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // Steps that repeat make trips and stops. Random ones alone make jumps.
        var bytes: [UInt8] = []
        while bytes.count < 1600 {
            let step = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            for _ in 0..<Int.random(in: 1...20, using: &random) { bytes += step }
        }
        #expect(StepSequence(bytes: bytes).problems == [])
    }

    /// A fuzzer found them.
    private static let names = (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
    private static let folder = Corpora.projectRoot + "/Tests/Fuzz/seeds/timeline"

    @Test("A sequence that broke a rule once does not break it again", arguments: names)
    func sequence(name: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: "\(Self.folder)/\(name)"))
        #expect(StepSequence(bytes: bytes).problems == [])
    }

    @Test("The sequences are found")
    func count() { #expect(Self.names.count >= 9) }
}
