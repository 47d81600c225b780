import OdographHarness
import Testing

@testable import OdographSettings

@Suite("The hash of a document")
struct SHA256Tests {
    /// Source: the examples of FIPS 180-4 (NIST, Cryptographic Standards and Guidelines).
    @Test(
        "The digest of the standard's examples is right",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func examples(text: String, digest: String) {
        #expect(SHA256.hexDigest(of: Array(text.utf8)) == digest)
    }

    @Test("The digest equals that of sha256sum for lengths around one and two blocks")
    func lengths() async throws {
        let folder = try TemporaryFolder()
        let paths = try (50...140).map { count in
            try folder.write([UInt8](repeating: UInt8(count), count: count), to: "\(count)")
        }
        let (_, output, _) = try await ChildProcess.run("sha256sum", paths)
        let theirs = output.split(separator: "\n").map { String($0.prefix(64)) }
        let ours = (50...140).map { SHA256.hexDigest(of: [UInt8](repeating: UInt8($0), count: $0)) }
        #expect(ours == theirs)
    }
}
