import OdographHarness
import Testing

/// Checks each cell of the access matrix: login, listener and topic, for publishing and for reading.
///
/// All listeners share the access rules, so the names and the kinds of the logins keep them apart.
@Suite("The access matrix")
struct AccessMatrixTests {
    /// A login with the rights that Operations promises.
    private struct Login {
        var name: String
        var client: SecuredBroker.Client
        /// The role of a person; nil for a vehicle.
        var role: String?

        /// Whether the login may publish on the topic of a level, such as a vehicle, and a channel.
        func mayPublish(_ level: String, _ channel: String) -> Bool {
            guard let role else {
                return level == name && AccessMatrixTests.published.contains(channel)
            }
            let documents = ["config", "geofences", "geofences/depot", "command", "about"]
            let retained = ["location", "timeline", "status", "reported", "numbers", "receipt/main"]
            return level != name
                && (["operator", "administrator"].contains(role) && documents.contains(channel)
                    || role == "administrator" && retained.contains(channel)
                    || role == "recorder" && channel == "receipt/main"
                    || role == "certificates" && channel == "certificate" || role == "groups" && channel == "config")
        }

        func mayRead(_ level: String, _ channel: String) -> Bool {
            switch role {
            case nil:
                let documents = ["config", "geofences", "geofences/depot", "command"]
                return level == name
                    && (documents + ["status", "numbers", "receipt/main", "certificate"]).contains(channel)
                    || ["all", name == "van-7" ? "group:vans" : "group:north"].contains(level)
                        && documents.contains(channel)
            case "certificates":
                return level != name
                    && (["certificate/request", "reported"].contains(channel)
                        || level == "all" && channel == "certificate")
            case "groups": return level != name && ["config", "status", "reported", "response"].contains(channel)
            case "homeassistant": return level != name && ["location", "status"].contains(channel)
            case "administrator": return level != name
            default: return level != name && channel != "certificate"
            }
        }

        /// Whether the login may publish on a topic beside those of levels.
        func mayPublish(_ topic: String) -> Bool {
            switch role {
            case nil, "certificates", "groups": false
            case "homeassistant": topic == "homeassistant/status"
            case "recorder": topic.hasPrefix("fleet/history:acme/") && topic.hasSuffix("/answer/x")
            case "dashboard": topic == "fleet/history:acme/\(name)/request/x"
            default:
                topic == "fleet/history:acme/\(name)/request/x"
                    || topic == "homeassistant/device/fleet-acme/van-7/config"
            }
        }

        func mayRead(_ topic: String) -> Bool {
            switch role {
            case nil, "certificates", "groups": false
            case "homeassistant": topic.hasPrefix("homeassistant/")
            case "recorder": topic.hasPrefix("fleet/history:acme/") && topic.hasSuffix("/request/x")
            case "dashboard": topic == "fleet/history:acme/\(name)/answer/x"
            default:
                topic == "fleet/history:acme/\(name)/answer/x"
                    || topic == "homeassistant/device/fleet-acme/van-7/config"
            }
        }
    }

    /// The channels on which a vehicle publishes.
    private static let published = [
        "location", "location/backlog", "geofence", "geofence/backlog", "timeline", "timeline/backlog", "given_up",
        "batch", "status", "reported", "numbers", "response", "certificate", "certificate/request",
    ]
    private static let channels =
        published + ["config", "geofences", "geofences/depot", "command", "about", "receipt/main", "receipt", "other"]
    private static let people = [
        "ann": "dashboard", "bob": "operator", "eva": "administrator", "archive": "recorder", "home": "homeassistant",
        "certs": "certificates", "desk": "groups",
    ]
    private static let levels = ["van-7", "van-8", "van-9", "all", "group:vans", "group:north"] + people.keys.sorted()
    private static let others =
        (people.keys.sorted() + ["van-7"]).flatMap { name in
            ["request", "answer"].map { "fleet/history:acme/\(name)/\($0)/x" }
        } + [
            "homeassistant/device/fleet-acme/van-7/config", "homeassistant/device/fleet-other/van-7/config",
            "homeassistant/status", "elsewhere", "/index.html", "fleet/acme/van-7", "fleet/other/van-7/location",
            "fleet/other/all/config", "$SYS/broker/version",
        ]

    private static let logins =
        [
            Login(name: "van-7", client: .vehicle("van-7")), Login(name: "van-8", client: .vehicle("van-8")),
        ] + people.sorted { $0.key < $1.key }.map { Login(name: $0.key, client: .person($0.key), role: $0.value) }

    private func broker() async throws -> SecuredBroker {
        try await SecuredBroker(
            vehicles: [["van-7", "--group", "vans"], ["van-8", "--group", "north"]], people: Self.people)
    }

    /// Publishes on each topic.
    /// - Returns: The topics that the broker accepted; nil if it refused the connection.
    private func publish(_ access: [String], id: String) async throws -> Set<String>? {
        let topics = Self.levels.flatMap { level in Self.channels.map { "fleet/acme/\(level)/\($0)" } } + Self.others
        let outcome = try await Crowd(
            access: access, id: id, count: 1, kinds: ["clean5"], publications: topics
        ).run()
        return outcome.accepted == 1 ? Set(outcome.published) : nil
    }

    /// Returns the topics of the table that satisfy both conditions.
    private func topics(_ level: (String, String) -> Bool, _ other: (String) -> Bool) -> Set<String> {
        Set(
            Self.levels.flatMap { name in
                Self.channels.filter { level(name, $0) }.map { "fleet/acme/\(name)/\($0)" }
            } + Self.others.filter(other))
    }

    @Test("Each login publishes and reads what its role says, on its own listeners only")
    func cells() async throws {
        let broker = try await broker()
        var readers: [(login: Login, child: ChildProcess)] = []
        for login in Self.logins {
            let filters = ["#", "$SYS/broker/version"]
            readers.append((login, try await broker.listen(to: filters, as: login.client)))
        }
        var accepted: Set<String> = []
        for login in Self.logins {
            let listeners: [SecuredBroker.Listener] = login.role == nil ? [.vehicles] : [.people, .page]
            let expected = topics({ login.mayPublish($0, $1) }, { login.mayPublish($0) })
            for listener in SecuredBroker.Listener.allCases {
                let taken = try await publish(
                    broker.access(login.client, at: listener), id: "\(login.name)-\(listener)")
                let wanted = listeners.contains(listener) ? expected : nil
                #expect(
                    taken == wanted,
                    "\(login.name) at \(listener): \((taken ?? []).symmetricDifference(wanted ?? []).sorted())")
            }
            accepted.formUnion(expected)
        }
        for (login, child) in readers {
            let expected = accepted.intersection(topics({ login.mayRead($0, $1) }, { login.mayRead($0) }))
            func heard() -> Set<String> {
                let topics = child.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
                return Set(topics.map(String.init).filter { $0.hasPrefix("fleet/") || $0.hasPrefix("homeassistant/") })
            }
            // The last messages of each kind come from the last login, so all of them have been published.
            let all = try await eventually { heard().isSuperset(of: expected) ? true : nil }
            let difference = heard().symmetricDifference(expected).sorted()
            #expect(all != nil && difference == [], "\(login.name): \(difference)")
        }
    }

    @Test("A password for a vehicle's name and a certificate with a person's name give no rights")
    func kinds() async throws {
        let broker = try await broker()
        // Both are beyond what provision does: a line in the broker's list, and a certificate of the authority.
        let passwords = "fleet/broker/people.passwords"
        let line = try #require(try broker.folder.read(passwords).split(separator: "\n").first { $0.hasPrefix("eva:") })
        try broker.folder.write(
            try broker.folder.read(passwords) + line.replacing("eva:", with: "van-7:", maxReplacements: 1) + "\n",
            to: passwords)
        let script = """
            cd "$0" && mkdir -p vehicles/eva/credentials && export PROVISION_NAMES=DNS:none
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out vehicles/eva/credentials/eva.key
            openssl req -new -config authority/openssl.cnf -key vehicles/eva/credentials/eva.key -subj /CN=eva -out eva.csr
            openssl ca -batch -notext -config authority/openssl.cnf -extensions vehicle -days 9 -in eva.csr \
                -out vehicles/eva/eva.crt
            """
        let issued = try await ChildProcess.run("bash", ["-ec", script, broker.folder.file("fleet")])
        #expect(issued.ending == .exited(0), "\(issued.errors)")
        broker.reload()
        // The login is in the list that the broker has read: another new line of it counts.
        try await broker.addPerson("late", role: "operator")
        broker.reload()
        let isRead = try await eventually {
            try await publish(broker.access(.person("late"), at: .people), id: "late")
        }
        #expect(isRead?.isEmpty == false)
        for listener in [SecuredBroker.Listener.people, .page] {
            let taken = try await publish(broker.access(.person("van-7"), at: listener), id: "by-password-\(listener)")
            #expect(taken == nil, "\(listener)")
        }
        let eva = SecuredBroker.Client.vehicle("eva")
        #expect(try await publish(broker.access(eva, at: .vehicles), id: "by-certificate") == [])
        let reading = Crowd(
            access: broker.access(eva, at: .vehicles), id: "reading", count: 1, kinds: ["clean5"],
            subscriptions: ["fleet/#", "fleet/acme/eva/config"])
        #expect(try await reading.run().denied == 2)
        // A password beside a vehicle's certificate counts for nothing.
        let both =
            broker.access(.vehicle("van-8"), at: .vehicles)
            + ["--user", "eva", "--password", SecuredBroker.password]
        let login = try #require(Self.logins.first { $0.name == "van-8" })
        #expect(
            try await publish(both, id: "both") == topics({ login.mayPublish($0, $1) }, { login.mayPublish($0) }))
        // The certificate alone is no login where passwords are.
        for listener in [SecuredBroker.Listener.people, .page] {
            #expect(try await publish(broker.access(.vehicle("van-8"), at: listener), id: "alone") == nil)
        }
    }

    @Test("A session whose client is away keeps its messages, also over a reload, for a person and for a vehicle")
    func away() async throws {
        let broker = try await broker()
        let sessions: [(Crowd, SecuredBroker.Client, String)] = [
            (
                Crowd(
                    access: broker.access(.person("archive"), at: .people), id: "archive-5d1c", count: 1,
                    kinds: ["persistent5"], subscriptions: ["fleet/acme/#"], isAbandoned: true), .vehicle("van-7"),
                "fleet/acme/van-7/batch"
            ),
            (
                Crowd(
                    access: broker.access(.vehicle("van-8"), at: .vehicles), id: "odo-5d1c", count: 1,
                    kinds: ["persistent5"], subscriptions: ["fleet/acme/van-8/command"], isAbandoned: true),
                .person("bob"), "fleet/acme/van-8/command"
            ),
        ]
        for (session, _, _) in sessions { #expect(try await session.run().accepted == 1) }
        for isReloaded in [false, true] {
            if isReloaded {
                let before = broker.log.utf8.count
                broker.reload()
                let isDone = try await eventually { broker.log.utf8.count > before ? true : nil }
                #expect(isDone != nil)
            }
            for (_, publisher, topic) in sessions {
                let listener: SecuredBroker.Listener = if case .vehicle = publisher { .vehicles } else { .people }
                let sent = Crowd(
                    access: broker.access(publisher, at: listener), id: "sender", count: 5, kinds: ["clean5"],
                    publications: [topic])
                #expect(try await sent.run().published.count == 5)
            }
        }
        for (session, _, topic) in sessions {
            let queue = try await session.run()
            #expect(queue.resumed == 1 && queue.messages >= 10, "\(topic): \(queue)")
        }
    }
}
