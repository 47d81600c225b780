import OdographCivilTime
import OdographHarness
import OdographLink
import Testing

@testable import OdographTerminal

@Suite("The findings about certificates")
struct CertificateCheckTests {
    private static let day = 86_400.0

    private func settings(_ folder: TemporaryFolder, _ name: String, key: String? = nil, authorities: String? = nil)
        -> TLSSettings
    {
        TLSSettings(
            caFile: authorities.map { folder.file($0) }, certificateFile: folder.file("\(name).crt"),
            keyFile: folder.file("\(key ?? name).key"))
    }

    private func lines(_ tls: TLSSettings, device: String? = nil, inDays days: Double = 0) -> [String] {
        CertificateCheck(tls, device: device, now: .now.advanced(bySeconds: days * Self.day)).findings().map(\.line)
    }

    @Test("A certificate of the device with its key and more than 30 days is without findings")
    func fine() async throws {
        let authority = try await Authority(in: TemporaryFolder(), days: 90)
        try await authority.issue("van-7", days: 60)
        let tls = settings(authority.folder, "van-7", authorities: "authority.crt")
        #expect(lines(tls, device: "van-7") == [])
        #expect(lines(tls) == [])
        #expect(lines(TLSSettings()) == [])
    }

    @Test("A certificate warns in its last 30 days, and fails after its end and before its begin")
    func times() async throws {
        let authority = try await Authority(in: TemporaryFolder(), days: 90)
        try await authority.issue("van-7", days: 60)
        let tls = settings(authority.folder, "van-7")
        #expect(lines(tls, inDays: 29) == [])
        #expect(lines(tls, inDays: 31).map { $0.prefix(4) } == ["warn"])
        #expect(lines(tls, inDays: 31)[0].contains("ends in 2"))
        #expect(lines(tls, inDays: 61).map { $0.prefix(4) } == ["fail"])
        #expect(lines(tls, inDays: 61)[0].contains("ended at"))
        #expect(lines(tls, inDays: -1).map { $0.prefix(4) } == ["fail"])
        #expect(lines(tls, inDays: -1)[0].contains("is not valid before"))
    }

    @Test("Authorities are judged by the one that ends last")
    func authorities() async throws {
        let folder = try TemporaryFolder()
        _ = try await Authority("short", in: folder, days: 20)
        _ = try await Authority("long", in: folder, days: 90)
        let both = try folder.read("short.crt") + folder.read("long.crt")
        try folder.write(both, to: "both.crt")
        func levels(_ file: String, inDays days: Double) -> [Substring] {
            lines(TLSSettings(caFile: folder.file(file)), inDays: days).map { $0.prefix(4) }
        }
        #expect(levels("short.crt", inDays: 0) == ["warn"])
        #expect(levels("short.crt", inDays: 21) == ["fail"])
        #expect(levels("short.crt", inDays: -1) == ["fail"])
        #expect(levels("both.crt", inDays: 21) == [])
        #expect(levels("both.crt", inDays: 70) == ["warn"])
        #expect(levels("both.crt", inDays: 91) == ["fail"])
    }

    @Test("A foreign key, a key with a passphrase and a certificate of another device are named")
    func keyAndName() async throws {
        let authority = try await Authority(in: TemporaryFolder(), days: 90)
        try await authority.issue("van-7", days: 60)
        try await authority.issue("van-8", days: 60)
        let foreign = lines(settings(authority.folder, "van-7", key: "van-8"), device: "van-7")
        #expect(foreign.count == 1 && foreign[0].hasPrefix("fail") && foreign[0].contains("does not belong to"))
        let (ending, _, errors) = try await ChildProcess.run(
            "openssl",
            [
                "pkey", "-in", authority.folder.file("van-7.key"), "-aes256", "-passout", "pass:secret", "-out",
                authority.folder.file("locked.key"),
            ])
        #expect(ending == .exited(0), "\(errors)")
        let locked = lines(settings(authority.folder, "van-7", key: "locked"), device: "van-7")
        #expect(locked.count == 1 && locked[0].contains("without a passphrase"), "\(locked)")
        let other = lines(settings(authority.folder, "van-8"), device: "van-7")
        #expect(other.count == 1 && other[0].hasPrefix("warn") && other[0].contains("is for \"van-8\""), "\(other)")
    }
}
