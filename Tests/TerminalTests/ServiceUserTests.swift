import Glibc
import OdographHarness
import OdographLink
import OdographSettings
import Testing

@testable import OdographTerminal

private enum OtherUser {
    /// A user that neither owns the files of the tests nor is in their group.
    static let user = ServiceUser("odograph", identifier: getuid() + 7, groups: [])
    /// Whether this user can reach the folder of the tests.
    static let isNear = user.obstacle(to: getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp", X_OK) == nil
}

/// A doctor that root runs can read and write everything, and the service cannot.
@Suite("The user of a service", .enabled(if: OtherUser.isNear, "others may enter the folder of the tests"))
struct ServiceUserTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
    }

    @Test(
        "The bits of the owner, else those of the group, else those of the others count",
        arguments: [
            (0o600, "owner", true), (0o060, "owner", false), (0o066, "owner", false), (0o060, "group", true),
            (0o606, "group", false), (0o006, "other", true), (0o660, "other", false), (0o004, "other", false),
        ] as [(mode_t, String, Bool)])
    func bits(mode: mode_t, relation: String, isAllowed: Bool) throws {
        let path = try folder.write("x", to: "a")
        chmod(path, mode)
        // A group of the user counts only if the user is not the owner.
        let user =
            switch relation {
            case "owner": ServiceUser("a", identifier: getuid(), groups: [getgid()])
            case "group": ServiceUser("a", identifier: getuid() + 7, groups: [getgid()])
            default: OtherUser.user
            }
        // Everything is allowed to root.
        let isExpected = isAllowed || (relation == "owner" && getuid() == 0)
        #expect((user.obstacle(to: path, R_OK | W_OK) == nil) == isExpected)
    }

    @Test("The uppermost folder that the user cannot enter is named, and what does not exist is no obstacle")
    func folders() throws {
        mkdir(folder.file("a"), 0o700)
        mkdir(folder.file("a/b"), 0o700)
        let path = try folder.write("x", to: "a/b/c")
        chmod(path, 0o600)
        let owner = try #require(FileReader.ownerText(of: path))
        #expect(owner.hasSuffix(", mode 600") && owner.hasPrefix("owner "))
        let text = OtherUser.user.obstacle(to: path, R_OK)
        #expect(text?.hasPrefix(folder.file("a") + " (owner ") == true && text?.hasSuffix("mode 700)") == true)
        #expect(OtherUser.user.obstacle(to: folder.file("none"), R_OK) == nil)
        #expect(ServiceUser("no user of this machine") == nil)
        #expect(ServiceUser("root")?.obstacle(to: path, R_OK) == nil)
    }

    @Test("A database that the service cannot write is a failure: its folder, the file, or the log beside it")
    func place() throws {
        let path = folder.file("recorder.db")
        func finding() -> Finding {
            PlaceCheck(path, subject: "database", program: "recorder", key: "database.path", user: OtherUser.user)
                .permissionFinding()
        }
        func fails(at place: String) -> Bool {
            let text = finding().text
            return text.hasPrefix("\(path): the service's user odograph cannot write it: \(place) (owner ")
                && finding().level == .fail
        }
        #expect(fails(at: folder.path))
        chmod(folder.path, 0o777)
        #expect(finding().text == "\(path) can be created")
        try folder.write("", to: "recorder.db")
        chmod(path, 0o600)
        #expect(fails(at: path))
        chmod(path, 0o666)
        try folder.write("", to: "recorder.db-wal")
        chmod(path + "-wal", 0o600)
        #expect(fails(at: path + "-wal"))
        chmod(path + "-wal", 0o666)
        #expect(finding().level == .ok)
    }

    @Test("A configuration, an authority or a secret that the service cannot read is a failure")
    func files() throws {
        let paths = try ["recorder.json5", "ca.crt", "database.password"].map { try folder.write("x", to: $0) }
        var broker = BrokerConfiguration(url: try BrokerURL("mqtts://localhost"))
        broker.tls.caFile = paths[1]
        let secret = SecretFile(path: paths[2], role: "password of the database")
        func findings() -> [Finding] {
            [ConfigurationPlaceCheck.finding(paths[0], user: OtherUser.user)]
                + CredentialsCheck(broker: broker, secrets: [secret], user: OtherUser.user).findings()
        }
        for path in paths { chmod(path, 0o600) }
        for path in paths {
            let finding = findings().first { $0.text.contains("\(path): the service's user odograph cannot read it") }
            #expect(finding?.level == .fail, "\(findings())")
        }
        for path in paths { chmod(path, 0o644) }
        #expect(!findings().contains { $0.text.contains("cannot read it") }, "\(findings())")
    }
}
