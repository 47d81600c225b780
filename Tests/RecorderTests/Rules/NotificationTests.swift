import Odograph
import OdographCivilTime
import OdographHTTP
import OdographHarness
import OdographJSON
import OdographSQLite
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Notifications")
struct NotificationTests {
    static func webhook(_ port: UInt16) throws -> NotificationTarget {
        .webhook(WebService(try #require(HTTPAddress("http://127.0.0.1:\(port)/hook"))))
    }

    static func depot(_ target: NotificationTarget, name: String = "depot") -> Rule {
        Rule(name: name, condition: .geofence(identifiers: ["depot"], events: [.enter]), target: target)
    }

    /// Returns the payload of an ENTER into the depot now.
    static func enter(_ seq: Int64, age seconds: Double = 0) throws -> String {
        let date = Timestamp.now.advanced(bySeconds: -seconds).iso8601
        return String(decoding: try Payloads.location(seq, isGeofence: true, date: date), as: UTF8.self)
    }

    /// Waits until the results of all deliveries are stored, which follows the answers.
    private func waitUntilNoted(_ service: RecorderService) async throws {
        let isNoted = try await eventually {
            try service.file.rows("SELECT count(*) FROM notifications") == [["0"]] ? true : nil
        }
        #expect(isNoted == true, "\(service.log.lines)")
    }

    private func decoded(_ request: StubWebService.Request) throws -> RuleNotification {
        try JSONCoder.decode(RuleNotification.self, from: Array(request.body.utf8))
    }

    @Test("An event that vehicles publish reaches the web service, once for each record and rule")
    func webhook() async throws {
        let web = try StubWebService()
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let target = try Self.webhook(web.port)
        let service = try RecorderService(broker: broker.port) { configuration in
            configuration.rules = [
                Self.depot(target), Self.depot(target, name: "second"),
                Rule(name: "other", condition: .rejectedConfiguration, fleet: "elsewhere", target: target),
            ]
        }
        try await service.start()
        try await desk.publish(try Self.enter(1), to: van + "geofence")
        #expect(try await eventually { web.requests.count >= 2 ? true : nil } == true, "\(service.log.lines)")
        let enters = try (2...5).map { try Self.enter($0) }
        // Twice: of the live and of the backlog lane.
        try await desk.flood(enters + enters, to: van + "geofence/backlog", isRetained: false)
        // An event of yesterday is no news, and a record of another kind is none of this rule.
        try await desk.publish(try Self.enter(6, age: 86_400), to: van + "geofence/backlog", isRetained: false)
        try await desk.publish(try Self.enter(7), to: van + "geofence")
        #expect(try await eventually { web.requests.count >= 12 ? true : nil } == true, "\(service.log.lines)")
        try await waitUntilNoted(service)
        try await service.stop()
        let found = try web.requests.map(decoded)
        #expect(Set(found.map(\.id)).count == 12 && found.count == 12)
        for rule in ["depot", "second"] {
            #expect(found.filter { $0.rule == rule }.map(\.seq) == [1, 2, 3, 4, 5, 7])
        }
        #expect(found.allSatisfy { $0.position?.latitude == 40 && $0.device == "van-7" && $0.fleet == "acme" })
        #expect(
            try service.file.rows("SELECT rule, delivered, dropped FROM notification_counts ORDER BY rule")
                == [["depot", "6", "0"], ["second", "6", "0"]])
        #expect(try service.file.rows("SELECT count(*) FROM notifications") == [["0"]])
    }

    @Test("While a target is away, its notifications wait in the database, and others go on")
    func deadTarget() async throws {
        let web = try StubWebService()
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let deadPort = try FreePort.next()
        let (dead, alive) = (try Self.webhook(deadPort), try Self.webhook(web.port))
        let service = try RecorderService(broker: broker.port, waitingNotifications: 50) { configuration in
            configuration.rules = [Self.depot(dead, name: "dead"), Self.depot(alive, name: "alive")]
        }
        try await service.start()
        let enters = try (1...70).map { try Self.enter($0) }
        try await desk.flood(enters, to: van + "geofence/backlog", isRetained: false)
        try await service.waitForRecords(70)
        #expect(try await eventually { web.requests.count >= 50 ? true : nil } == true)
        // The oldest ones beyond the limit are dropped, and counted.
        #expect(
            try service.file.rows("SELECT count(*), min(attempts) > 0 FROM notifications WHERE rule = 'dead'")
                .map { $0[0] } == ["50"])
        #expect(try service.file.rows("SELECT dropped FROM notification_counts WHERE rule = 'dead'") == [["20"]])
        let status = try RecorderStatus(of: .file(path: service.file.path))
        #expect(status.notifications.first { $0.rule == "dead" }?.dropped == 20)
        #expect(status.text.contains("dead: 50 waiting, 0 delivered, 20 dropped"))
        #expect(service.log.lines.count { $0.contains("rule dead: a notification waits") } == 1)
        try await service.stop()
        // After a restart they are delivered, in order.
        let revived = try StubWebService(port: deadPort)
        try await service.start()
        #expect(try await eventually { revived.requests.count >= 50 ? true : nil } == true, "\(service.log.lines)")
        try await waitUntilNoted(service)
        try await service.stop()
        #expect(try revived.requests.map { try decoded($0).seq } == (21...70).map { $0 })
        #expect(try service.file.rows("SELECT count(*) FROM notifications") == [["0"]])
    }

    @Test("A target that fails is tried again; what it does not understand is dropped, and the next one follows")
    func refusals() async throws {
        let web = try StubWebService()
        web.setAnswer { [weak web] request in
            guard request.body.contains("\"seq\":1,") else {
                return StubWebService.Answer(request.body.contains("\"seq\":2,") ? 400 : 204)
            }
            return StubWebService.Answer((web?.requests.count ?? 0) > 2 ? 200 : 503)
        }
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let target = try Self.webhook(web.port)
        let service = try RecorderService(broker: broker.port) { $0.rules = [Self.depot(target)] }
        try await service.start()
        try await desk.flood(
            try (1...3).map { try Self.enter($0) }, to: van + "geofence/backlog", isRetained: false)
        #expect(try await eventually { web.requests.count >= 5 ? true : nil } == true, "\(service.log.lines)")
        try await waitUntilNoted(service)
        try await service.stop()
        #expect(try web.requests.map { try decoded($0).seq } == [1, 1, 1, 2, 3])
        #expect(try service.file.rows("SELECT delivered, dropped FROM notification_counts") == [["2", "1"]])
        for words in ["status 503", "takes notifications again", "is dropped, because its target refuses it"] {
            #expect(service.log.lines.count { $0.contains(words) } == 1, "\(words): \(service.log.lines)")
        }
    }

    @Test("A command gets the notification on its standard input, without the recorder's environment")
    func command() async throws {
        let folder = try TemporaryFolder()
        let script = try folder.write(
            "#!/bin/sh\n{ cat; echo; env; echo \"$@\"; ls /proc/self/fd; } > \(folder.file("out.tmp"))\n"
                + "mv \(folder.file("out.tmp")) \(folder.file("out"))\n",
            to: "run.sh", mode: 0o755)
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let service = try RecorderService(broker: broker.port) { configuration in
            configuration.rules = [Self.depot(.command([script, "a b", "$HOME; true"]))]
        }
        try await service.start()
        try await desk.publish(try Self.enter(1), to: van + "geofence")
        let output = try await eventually { try? folder.read("out") }
        try await service.stop()
        let lines = try #require(output).split(separator: "\n").map(String.init)
        #expect(try JSONCoder.decode(RuleNotification.self, from: Array(lines[0].utf8)).rule == "depot")
        #expect(lines.contains("a b $HOME; true"))
        #expect(lines.filter { $0.hasPrefix("PATH=") }.count == 1)
        let names = Set(lines.filter { $0.wholeMatch(of: #/\w+=.*/#) != nil }.map { $0.prefix { $0 != "=" } })
        #expect(names.subtracting(["PATH", "LANG", "PWD", "OLDPWD", "SHLVL", "_"]).isEmpty, "\(names)")
        // Standard input, output, error, and what ls opens.
        let descriptors = lines.compactMap { Int($0) }
        #expect(!descriptors.isEmpty && descriptors.count <= 4, "\(descriptors)")
    }

    @Test("A command that fails, hangs or does not exist is an error with its reason, and its group is killed")
    func failedCommands() async throws {
        let folder = try TemporaryFolder()
        let marker = folder.file("survivor")
        let script = try folder.write(
            "#!/bin/sh\n(sleep 1; touch \(marker)) &\nsleep 100\n", to: "hang.sh", mode: 0o755)
        let worker = try NotificationWorker(limits: HTTPClient.Limits(), commandSeconds: 0.3)
        let long = String(repeating: "x", count: 1 << 20)
        for (arguments, reason) in [
            (["/bin/sh", "-c", "exit 3"], "exit code 3"), ([script], "did not end within 0.3 s"),
            (["/no/such/program"], "cannot run /no/such/program"), (["/bin/sh", "-c", "kill -9 $$"], "by signal 9"),
        ] {
            let notification = PendingNotification(key: 1, rule: "r", vehicle: 1, payload: long, attempts: 0)
            guard case .failed(let text) = await worker.deliver(notification, to: .command(arguments)).result else {
                Issue.record("\(arguments) did not fail")
                continue
            }
            #expect(text.contains(reason), "\(text)")
        }
        let notification = PendingNotification(key: 1, rule: "r", vehicle: 1, payload: long, attempts: 0)
        let count = ["/bin/sh", "-c", "test $(wc -c) = \(1 << 20)"]
        #expect(await worker.deliver(notification, to: .command(count)).result == .delivered)
        try await Task.sleep(for: .seconds(1.2))
        #expect((try? folder.read("survivor")) == nil)
    }

    @Test("A silent vehicle, a gap and a refused configuration reach the web service, and their ends do")
    func episodes() async throws {
        let web = try StubWebService()
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        let target = try Self.webhook(web.port)
        let service = try RecorderService(broker: broker.port) { configuration in
            configuration.rules = [
                Rule(name: "silent", condition: .silent(seconds: 1), target: target, notifiesEnd: true),
                Rule(name: "gap", condition: .gap(seconds: 0.5), target: target, notifiesEnd: true),
                Rule(name: "refused", condition: .rejectedConfiguration, target: target, notifiesEnd: true),
            ]
        }
        try await service.start()
        func position(_ seq: Int64) throws -> String {
            String(decoding: try Payloads.location(seq, date: Timestamp.now.iso8601), as: UTF8.self)
        }
        // A moving vehicle that makes a record each second is silent after a second and a half.
        let tracking = JSONValue.object(["sampling": .object(["maximum_interval": .integer(1)])])
        let report = try Payloads.reported([], configuration: .object(["tracking": tracking]))
        try await desk.publish(String(decoding: report, as: UTF8.self), to: van + "reported")
        // What was before the recorder's time is no gap.
        try await desk.publish(try position(5), to: van + "location")
        try await desk.publish(try position(8), to: van + "location")
        func phases() throws -> Set<String> {
            Set(try web.requests.map { try decoded($0) }.map { "\($0.rule) \($0.phase)" })
        }
        // Where the messages come slowly, a silence ends between them, and the next one begins.
        let begun = try await eventually {
            let newest = try ["silent", "gap"].map { rule in
                try web.requests.map { try decoded($0) }.last { $0.rule == rule }?.phase
            }
            return newest == [.begin, .begin] ? true : nil
        }
        #expect(begun == true, "\(web.requests) \(service.log.lines)")
        let missing = try web.requests.map(decoded).first { $0.rule == "gap" }?.missing
        #expect(missing == [RuleNotification.MissingRange(epoch: 7, from: 6, to: 7)])
        // A restart repeats nothing.
        try await service.stop()
        let count = web.requests.count
        try await service.start()
        try await desk.flood(
            [try position(6), try position(7)], to: van + "location/backlog", isRetained: false)
        let ended = try await eventually {
            try phases().isSuperset(of: ["silent end", "gap end"]) ? true : nil
        }
        #expect(ended == true, "\(web.requests) \(service.log.lines)")
        #expect(try web.requests.map(decoded).filter { $0.rule == "gap" }.count == 2)
        #expect(try web.requests[count...].map(decoded).first { $0.rule == "silent" }?.phase == .end)
        // None of these has a record of its own, and so a position.
        #expect(try web.requests.map(decoded).allSatisfy { $0.position == nil && $0.seq == nil })
        try await service.stop()
    }

    @Test("A notification is stored with its record or not at all, in both kinds of databases")
    func atomic() async throws {
        let rules = [Self.depot(.command(["/bin/true"]))]
        let entries = Archive.entries([
            (van + "geofence", Array(try Self.enter(1).utf8)), (van + "geofence", Array(try Self.enter(2).utf8)),
        ]).map { entry in
            var entry = entry
            entry.received = .now
            return entry
        }
        let archive = try Archive()
        try archive.database.begin(rules)
        // Another program's trigger makes the end of the transaction fail.
        try Connection<HarnessError>(path: archive.file.path).execute(
            "CREATE TRIGGER stop BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'stopped'); END")
        #expect(throws: DatabaseFailure.self) { try archive.database.write(entries) }
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["0"]])
        try Connection<HarnessError>(path: archive.file.path).execute("DROP TRIGGER stop")
        try archive.database.write(entries)
        try archive.database.write(entries)
        #expect(try archive.rows("SELECT rule, attempts FROM notifications") == [["depot", "0"], ["depot", "0"]])

        let server = try await ServerArchive()
        try server.database?.begin(rules)
        try server.write(entries)
        try server.write(entries)
        let first = try #require(try server.database?.dueNotifications(after: ["depot": 0]).first)
        try server.database?.note(.failed("x"), of: first, delaySeconds: 60)
        #expect(try server.database?.dueNotifications(after: ["depot": 0]) == [])
        #expect(try server.rows("SELECT attempts FROM notifications ORDER BY id") == [["1"], ["0"]])
        // The clock of the machine is set back.
        try server.database?.note(.failed("x"), of: first, delaySeconds: 100 * 86_400)
        #expect(try server.database?.dueNotifications(after: ["depot": 0]).count == 1)
        #expect(try server.database?.dueNotifications(after: ["depot": 9]).count == 1)
        #expect(try server.database?.dueNotifications(after: ["another": 0]) == [])
        try server.database?.note(.failed("x"), of: first, delaySeconds: 60)
        // A restart tries again at once.
        try server.reopen()
        try server.database?.begin(rules)
        #expect(try server.database?.dueNotifications(after: ["depot": 0]).map(\.attempts) == [1])
        try server.database?.note(.delivered, of: first, delaySeconds: 0)
        #expect(try server.database?.dueNotifications(after: ["depot": 0]).map(\.attempts) == [0])
        // A removed rule takes its notifications with it.
        try server.database?.begin([])
        #expect(try server.rows("SELECT count(*) FROM notifications") == [["0"]])
        #expect(try server.rows("SELECT delivered, dropped FROM notification_counts") == [["1", "1"]])
        #expect(try RecorderStatus(of: .server(server.address)).notifications.map(\.dropped) == [1])
    }

    @Test("Episodes survive a restart in PostgreSQL, and a rule of another kind does not inherit them")
    func storedEpisodes() async throws {
        let archive = try await ServerArchive()
        var rule = Rule(name: "r", condition: .rejectedConfiguration, target: .command(["/bin/true"]))
        let error = ReportedConfigurationError(topic: "t", path: "p", value: nil, message: "m")
        var report = try JSONCoder.decode(ReportedMessage.self, from: Payloads.reported([]))
        report.errors = [error]
        let entries = Archive.entries([(van + "reported", try JSONCoder.bytes(of: report))])
        for _ in 0..<2 {
            try archive.database?.begin([rule])
            try archive.write(entries)
            try archive.reopen()
        }
        #expect(
            try archive.rows("SELECT rule, kind, subject, mark FROM rule_episodes")
                == [["r", "rejected_configuration", "", "0"]])
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["1"]])
        rule.condition = .silent(seconds: 60)
        try archive.database?.begin([rule])
        #expect(try archive.rows("SELECT count(*) FROM rule_episodes") == [["0"]])
    }

    @Test("Of two recorders with one database only the one that writes delivers, and the other one takes over")
    func takeover() async throws {
        let archive = try await ServerArchive()
        let address = archive.address.description
        let broker = try await MosquittoBroker()
        let (desk, web) = (BrokerOperator(port: broker.port), try StubWebService())
        let target = try Self.webhook(web.port)
        archive.close()
        var services: [RecorderService] = []
        for _ in 0..<2 {
            services.append(
                try RecorderService(broker: broker.port, server: address) { configuration in
                    configuration.rules = [Self.depot(target)]
                })
        }
        try await services[0].start()
        try await services[1].begin()
        let isWaiting = try await eventually {
            services[1].log.lines.contains { $0.contains("waiting for the database") } ? true : nil
        }
        #expect(isWaiting == true)
        for seq in 1...20 { try await desk.publish(try Self.enter(Int64(seq)), to: van + "geofence") }
        #expect(try await eventually { web.requests.count >= 20 ? true : nil } == true, "\(services[0].log.lines)")
        let isNoted = try await eventually {
            try services[0].serverRows("SELECT count(*) FROM notifications") == [["0"]] ? true : nil
        }
        #expect(isNoted == true)
        try await services[0].stop()
        let hasTakenOver = try await eventually {
            services[1].log.lines.contains { $0.contains("connected to the broker") } ? true : nil
        }
        #expect(hasTakenOver == true)
        try await desk.publish(try Self.enter(21), to: van + "geofence")
        #expect(try await eventually { web.requests.count >= 21 ? true : nil } == true, "\(services[1].log.lines)")
        try await services[1].stop()
        #expect(Set(try web.requests.map { try decoded($0).seq }) == Set((1...21).map { $0 }))
        #expect(web.requests.count == 21)
    }

    @Test("A vehicle of a fleet that is not recorded any more is not silent")
    func formerFleet() throws {
        let archive = try Archive()
        var entries = Archive.entries(
            try ["acme", "former"].map { ("fleet/\($0)/van-7/location", try Payloads.location(1)) })
        for index in entries.indices { entries[index].received = .now }
        try archive.database.write(entries)
        let rule = Rule(name: "r", condition: .silent(seconds: 0), target: .command(["/bin/true"]))
        try archive.database.begin([rule])
        try archive.database.tick(connectedSince: .now - .seconds(400), gaps: nil)
        #expect(
            try archive.rows("SELECT fleet FROM notifications JOIN vehicles ON vehicles.id = vehicle") == [["acme"]])
    }

    @Test("The retention time holds for notifications that wait, too")
    func retention() throws {
        let archive = try Archive()
        try archive.database.begin([Self.depot(.command(["/bin/true"]))])
        var entries = Archive.entries([(van + "geofence", Array(try Self.enter(1).utf8))])
        entries[0].received = .now
        try archive.database.write(entries)
        let remover = try OldRecordRemover(.file(path: archive.file.path))
        let vehicle = try #require(try remover.vehicles().first)
        try remover.removeReferences(of: vehicle, before: Timestamp.now.advanced(bySeconds: -60))
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["1"]])
        try remover.removeReferences(of: vehicle, before: Timestamp.now.advanced(bySeconds: 60))
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["0"]])
        #expect(try archive.rows("SELECT rule, delivered, dropped FROM notification_counts") == [["depot", "0", "1"]])
    }

    @Test("An erasure of a vehicle removes its notifications that wait")
    func erasure() throws {
        let archive = try Archive()
        try archive.database.begin([Self.depot(.command(["/bin/true"]))])
        var entries = Archive.entries([(van + "geofence", Array(try Self.enter(1).utf8))])
        entries[0].received = .now
        try archive.database.write(entries)
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["1"]])
        let vehicle = try #require(
            try HistoryDatabase(.file(path: archive.file.path)).vehicles(fleet: nil, device: "van-7").first)
        _ = try RecordEraser(.file(path: archive.file.path)).erase(Erasure(.vehicle(vehicle), from: nil, to: nil))
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["0"]])
    }
}
