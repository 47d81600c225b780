import Glibc
import OdographHarness
import Odograph
import OdographThreads
import OdographWire
import Testing

/// Checks the renewal of certificates with a real broker, real agents and `provision requests`.
@Suite("The renewal of certificates")
struct RenewalTests {
    @Test("A vehicle whose certificate ends soon gets another one over the broker, and reports its end")
    func renewal() async throws {
        let broker = try await SecuredBroker.renewing()
        let watcher = try await broker.watchRequests()
        let reports = try await broker.listen(to: ["fleet/acme/van-7/reported"], as: .person("ann"))
        let vehicle = try await ProvisionedVehicle(broker)
        try await broker.waitForRequest(in: watcher)
        #expect(await vehicle.days() == 50)
        let ran = try await broker.provision("requests", "--wait", "2")
        #expect(ran.contains("van-7: signed a certificate"), "\(ran)")
        try await broker.waitForRenewal(vehicle)
        #expect(await vehicle.days() == 730)
        let status = try #require(await vehicle.status())
        #expect(status.problems.isEmpty)
        let ends = try #require(status.certificates)
        let brokerEnd = try #require(ends.broker)
        #expect(Int((brokerEnd.seconds(since: status.timestamp) / 86_400).rounded()) == 730)
        #expect(Int((try #require(ends.authority).seconds(since: status.timestamp) / 86_400).rounded()) == 7300)
        let end = try #require(ends.vehicle).iso8601
        let isReported = try await eventually {
            reports.output.contains("\"certificates\":{") && reports.output.contains("\"vehicle\":\"\(end)\"")
                ? true : nil
        }
        #expect(isReported != nil, "\(reports.output)")
        var mode = stat()
        #expect(stat(vehicle.file.renewed, &mode) == 0 && mode.st_mode & 0o777 == 0o600)
        // The new pair survives a restart, and the broker accepts no other key for it.
        vehicle.child.send(SIGTERM)
        try await vehicle.child.wait()
        let later = try await ProvisionedVehicle(broker, in: vehicle.folder)
        #expect(try await eventually { await later.days() == 730 ? true : nil } != nil, "\(later.child.errors)")
        // A second pass has nothing to do.
        #expect(try await broker.provision("requests", "--wait", "1").contains("Requests: 0 signed, 0 refused"))
    }

    @Test("The command renew_certificate begins a renewal long before the end")
    func command() async throws {
        let broker = try await SecuredBroker(
            people: ["ann": "dashboard", "bob": "operator", "eva": "administrator"], signer: "certs")
        let watcher = try await broker.watchRequests()
        let answers = try await broker.listen(to: ["fleet/acme/van-7/response"], as: .person("ann"))
        let vehicle = try await ProvisionedVehicle(broker)
        #expect(try await eventually { await vehicle.status()?.isConnected == true ? true : nil } != nil)
        try await broker.sendRenewal(id: "r1")
        try await broker.waitForRequest(in: watcher)
        #expect(try await eventually { answers.output.contains(#""status":"ok""#) ? true : nil } != nil)
        #expect(answers.output.contains(#""certificates":{"#), "\(answers.output)")
        try await broker.provision("requests", "--wait", "2", "--days", "700")
        try await broker.waitForRenewal(vehicle)
        #expect(await vehicle.days() == 700)
    }

    @Test("The key can be on a machine without the network: files carry requests and certificates")
    func files() async throws {
        let broker = try await SecuredBroker.renewing()
        let watcher = try await broker.watchRequests()
        let vehicle = try await ProvisionedVehicle(broker)
        try await broker.waitForRequest(in: watcher)
        let exchange = broker.folder.file("exchange")
        // The machine with the network has the folder of the login only.
        mkdir(broker.folder.file("online"), 0o700)
        _ = try await ChildProcess.run(
            "cp", ["-r", broker.folder.file("fleet/signer"), broker.folder.file("online/signer")])
        func online(_ arguments: String...) async throws {
            let ran = try await ChildProcess.run(
                Corpora.projectRoot + "/deploy/mosquitto/provision",
                ["--folder", broker.folder.file("online"), "requests", "--wait", "2"] + arguments)
            #expect(ran.ending == .exited(0), "\(ran.errors)")
        }
        try await online("--export", exchange)
        try await broker.provision("requests", "--sign", exchange)
        try await online("--import", exchange)
        try await broker.waitForRenewal(vehicle)
    }

    /// The file whose appearance is the moment of the kill.
    enum Step: String, CaseIterable, Sendable {
        case request, candidate, renewed

        func path(_ vehicle: ProvisionedVehicle) -> String {
            switch self {
            case .request: vehicle.file.pending
            case .candidate: vehicle.file.candidate
            case .renewed: vehicle.file.renewed
            }
        }
    }

    @Test(
        "A kill when a file of the renewal appears leaves a pair that works, and the next run goes on",
        arguments: Step.allCases)
    func kill(at step: Step) async throws {
        let broker = try await SecuredBroker.renewing()
        let watcher = try await broker.watchRequests()
        let vehicle = try await ProvisionedVehicle(broker)
        let path = step.path(vehicle)
        let isKiller = WorkerThread.start {
            while access(path, F_OK) != 0, vehicle.child.poll() == nil { usleep(200) }
            vehicle.child.send(SIGKILL)
        }
        #expect(isKiller)
        if step != .request {
            try await broker.waitForRequest(in: watcher)
            try await broker.provision("requests", "--wait", "2")
        }
        #expect(try await vehicle.child.wait() == .killed(SIGKILL))
        let later = try await ProvisionedVehicle(broker, in: vehicle.folder)
        if step == .request {
            try await broker.waitForRequest(in: watcher)
            try await broker.provision("requests", "--wait", "2")
        }
        try await broker.waitForRenewal(later)
        #expect(await later.days() == 730)
    }

    @Test("A kill before the request is published, or a write that was cut off, is made good by the next run")
    func interrupted() async throws {
        let broker = try await SecuredBroker.renewing()
        let watcher = try await broker.watchRequests()
        let vehicle = try await ProvisionedVehicle(broker)
        try await broker.waitForRequest(in: watcher)
        vehicle.child.send(SIGKILL)
        try await vehicle.child.wait()
        let key = try vehicle.folder.read("agent.db-certificate-request")
        // As if the broker had never had the request, and as if the power had failed in the middle of the next file.
        let topic = "fleet/acme/van-7/certificate/request"
        #expect(try await broker.publish("", to: topic, as: .vehicle("van-7")))
        #expect(try await broker.retained(topic).isEmpty)
        try vehicle.folder.write("-----BEGIN CERTIFICATE-----\nMIIB", to: "agent.db-certificate-candidate.new")
        try vehicle.folder.write("-----BEGIN CERTIFICATE-----\nMIIB", to: "agent.db-certificate-candidate")
        try vehicle.folder.write("", to: "agent.db-certificate")
        let later = try await ProvisionedVehicle(broker, in: vehicle.folder)
        #expect(try await eventually { try await broker.retained(topic).isEmpty ? nil : true } != nil)
        #expect(try vehicle.folder.read("agent.db-certificate-request") == key)
        try await broker.provision("requests", "--wait", "2")
        try await broker.waitForRenewal(later)
        #expect(access(vehicle.folder.file("agent.db-certificate-candidate.new"), F_OK) != 0)
    }

    @Test("A disk that is copied to another vehicle brings no key and no certificate to it")
    func copied() async throws {
        let broker = try await SecuredBroker.renewing(["van-7", "van-8"])
        let watcher = try await broker.watchRequests()
        let vehicle = try await ProvisionedVehicle(broker)
        try await broker.waitForRequest(in: watcher)
        vehicle.child.send(SIGKILL)
        try await vehicle.child.wait()
        let files = ["agent.db-certificate-candidate", "agent.db-certificate"]
        let pair = ["van-7.crt", "credentials/odograph_van-7.key"].map { vehicle.folder.file($0) }
        for file in files {
            let made = try await ChildProcess.run(
                "bash", ["-ec", #"cat "$1" "$2" >"$0""#, vehicle.folder.file(file)] + pair)
            #expect(made.ending == .exited(0))
        }
        let first = try vehicle.folder.read("agent.db-certificate-request")
        let other = try await ProvisionedVehicle(broker, certificate: "van-8", in: vehicle.folder)
        try await broker.waitForRequest(of: "van-8", in: watcher)
        #expect(try vehicle.folder.read("agent.db-certificate-request") != first)
        try await broker.provision("requests", "--wait", "2")
        let isDone = try await eventually { await other.days() == 730 ? true : nil }
        #expect(isDone != nil, "\(other.child.errors)")
        #expect(try await broker.retained("fleet/acme/van-8/certificate/#").isEmpty)
    }

    @Test("A vehicle whose new certificate the broker refuses continues with the old one, and says so")
    func refusal() async throws {
        let broker = try await SecuredBroker.renewing()
        let watcher = try await broker.watchRequests()
        let vehicle = try await ProvisionedVehicle(broker)
        try await broker.waitForRequest(in: watcher)
        let exchange = broker.folder.file("exchange")
        try await broker.provision("requests", "--wait", "2", "--export", exchange)
        // The machine with the key may have nothing else.
        let brokerFolder = broker.folder.file("fleet/broker")
        #expect(rename(brokerFolder, brokerFolder + ".away") == 0)
        try await broker.provision("requests", "--sign", exchange)
        #expect(rename(brokerFolder + ".away", brokerFolder) == 0)
        let script = """
            cd "$0" && export PROVISION_NAMES=DNS:none
            openssl ca -config authority/openssl.cnf -revoke vehicles/van-7/renewed.crt
            openssl ca -config authority/openssl.cnf -gencrl -out broker/revoked.crl
            """
        let revoked = try await ChildProcess.run("bash", ["-ec", script, broker.folder.file("fleet")])
        #expect(revoked.ending == .exited(0), "\(revoked.errors)")
        try await broker.restart()
        try await broker.provision("requests", "--wait", "2", "--import", exchange)
        let isBack = try await eventually { () -> AgentStatus? in
            guard let status = await vehicle.status(), status.isConnected,
                status.problems.contains(where: { $0.code == .certificateRefused }),
                access(vehicle.file.pending, F_OK) != 0
            else { return nil }
            return status
        }
        #expect(isBack != nil, "\(vehicle.child.errors) \(broker.log)")
        #expect(await vehicle.days() == 50)
        #expect(access(vehicle.file.renewed, F_OK) != 0 && access(vehicle.file.candidate, F_OK) != 0)
        #expect(try await broker.retained("fleet/acme/+/certificate/#").isEmpty)
    }

    @Test("Only the vehicle itself, with its own name and while it is not revoked, gets a certificate")
    func forged() async throws {
        let broker = try await SecuredBroker(
            vehicles: [["van-6"], ["van-7"], ["van-8"], ["van-9"]],
            people: ["ann": "dashboard", "bob": "operator", "eva": "administrator"], signer: "certs")
        let script = """
            for name in van-6 van-7 van-9; do
                openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$0/$name.key"
                openssl req -new -key "$0/$name.key" -subj "/CN=$name" -out "$0/$name.csr"
            done
            openssl req -in "$0/van-7.csr" -outform DER -out "$0/request.der"
            printf '\\x5a' | dd of="$0/request.der" bs=1 conv=notrunc seek=$(($(stat -c %s "$0/request.der") - 1))
            openssl req -inform DER -in "$0/request.der" -out "$0/damaged.csr"
            """
        let made = try await ChildProcess.run("bash", ["-ec", script, broker.folder.path])
        #expect(made.ending == .exited(0), "\(made.errors)")
        let request = try broker.folder.read("van-7.csr")
        let topic = "fleet/acme/van-7/certificate/request"
        for client in [SecuredBroker.Client.vehicle("van-8"), .person("bob"), .person("ann"), .person("eva")] {
            #expect(try await !broker.publish(request, to: topic, as: client))
        }
        // A vehicle asks for the name of another one, one sends what it has not signed, and one is revoked.
        let others = "fleet/acme/van-8/certificate/request"
        #expect(try await broker.publish(request, to: others, as: .vehicle("van-8")))
        #expect(try await broker.publish(try broker.folder.read("damaged.csr"), to: topic, as: .vehicle("van-7")))
        #expect(
            try await broker.publish(
                try broker.folder.read("van-9.csr"), to: "fleet/acme/van-9/certificate/request", as: .vehicle("van-9")))
        // The revoked machine has its key still; the broker's machine does not.
        let kept = broker.folder.file("kept")
        _ = try await ChildProcess.run("cp", ["-r", broker.vehicle("van-9"), kept])
        try await broker.provision("revoke", "van-9")
        _ = try await ChildProcess.run("cp", ["-r", kept, broker.vehicle("van-9")])
        // A request of another key of a machine that is then revoked, and whose name another machine gets.
        let old = "fleet/acme/van-6/certificate/request"
        #expect(
            try await broker.publish(try broker.folder.read("van-6.csr"), to: old, as: .vehicle("van-6")))
        try await broker.provision("revoke", "van-6")
        try await broker.provision("vehicle", "van-6")
        // A folder that cannot be read stops nothing.
        #expect(
            try await broker.publish("no request", to: "fleet/acme/van-9/certificate/request", as: .vehicle("van-9")))
        let ran = try await SecuredBroker.run(["requests", "--wait", "2"], folder: broker.folder)
        #expect(ran.ending == .exited(2))
        #expect(ran.errors.contains("van-8: the request is for another name: CN=van-7"), "\(ran.errors)")
        #expect(ran.errors.contains("van-7: the request is not signed with its own key"), "\(ran.errors)")
        #expect(ran.output.contains("van-9: not a vehicle of this fleet, or revoked"), "\(ran.output)")
        #expect(ran.output.contains("van-6: this request was made before the vehicle was revoked"), "\(ran.output)")
        #expect(ran.output.contains("Certificates published: 0"))
        #expect(try await broker.retained("fleet/acme/+/certificate").isEmpty)
        // An administrator removes what is left of a retired vehicle.
        #expect(try await broker.publish("", to: old, as: .person("eva")))
        #expect(try await !broker.retained("fleet/acme/+/certificate/#").contains("van-6"))
    }

    /// The number of vehicles of the test below, `VANS`.
    private static let vans = getenv("VANS").flatMap { Int(String(cString: $0)) } ?? 3

    @Test("One command renews the vehicles of a fleet")
    func fleet() async throws {
        let names = (1...Self.vans).map { "van-\($0)" }
        let broker = try await SecuredBroker.renewing(names)
        let watcher = try await broker.watchRequests()
        let states = try ChildProcess(
            "stdbuf",
            ["-oL", "mosquitto_sub"] + broker.arguments(.person("ann")) + [
                "-t", "fleet/acme/+/status", "-F", "%U %t %p",
            ])
        var vehicles: [ProvisionedVehicle] = []
        for name in names { vehicles.append(try await ProvisionedVehicle(broker, certificate: name)) }
        for name in names { try await broker.waitForRequest(of: name, in: watcher) }
        let began = ContinuousClock.now
        let ran = try await broker.provision("requests", "--wait", "3")
        let published = ContinuousClock.now
        #expect(ran.contains("Certificates published: \(names.count)"), "\(ran)")
        for vehicle in vehicles { try await broker.waitForRenewal(vehicle) }
        // The broker's times of the statuses: from the last will of the old connection to the next connection.
        var since: [Substring: Double] = [:]
        var longest = 0.0
        for line in states.output.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let time = Double(parts[0]) else { continue }
            if parts[2].contains("\"state\":\"offline\"") { since[parts[1]] = time }
            if parts[2].contains("\"state\":\"online\""), let start = since.removeValue(forKey: parts[1]) {
                longest = max(longest, time - start)
            }
        }
        #expect(since.isEmpty)
        print(
            "\(names.count) vehicles: provision requests took \(began.duration(to: published)); the longest time offline "
                + "was \(longest) s")
    }
}
