import Glibc
import OdographHarness
import Odograph
import Testing

@Suite("A new authority")
struct NewAuthorityTests {
    /// Returns once the vehicle is connected to a broker that was restarted.
    private func isBack(_ vehicle: ProvisionedVehicle, _ broker: SecuredBroker) async throws -> Bool {
        let before = vehicle.child.errors.split(separator: "\n").count { $0.contains("connected to the broker") }
        try await broker.restart()
        return try await eventually {
            vehicle.child.errors.split(separator: "\n").count { $0.contains("connected to the broker") } > before
                ? true : nil
        } != nil
    }

    @Test("A vehicle goes over to a new authority without a visit, and the former one then counts no more")
    func change() async throws {
        let broker = try await SecuredBroker(
            people: ["ann": "dashboard", "bob": "operator", "eva": "administrator"], signer: "certs")
        let vehicle = try await ProvisionedVehicle(broker)
        #expect(try await eventually { await vehicle.status()?.isConnected == true ? true : nil } != nil)
        let former = try broker.folder.read("fleet/authority/ca.crt")
        try await broker.provision("authority", "add")
        #expect(try await isBack(vehicle, broker), "\(vehicle.child.errors)")
        let early = try await SecuredBroker.run(["authority", "use"], folder: broker.folder)
        #expect(early.ending == .exited(1) && early.errors.contains("van-7"), "\(early.errors)")
        func renew(_ id: String) async throws {
            let watcher = try await broker.watchRequests()
            try await broker.sendRenewal(id: id)
            try await broker.waitForRequest(in: watcher)
            try await broker.provision("requests", "--wait", "2")
            try await broker.waitForRenewal(vehicle)
        }
        try await renew("r1")
        try await broker.provision("authority", "use")
        #expect(try await isBack(vehicle, broker), "\(vehicle.child.errors)")
        let next = try broker.folder.read("fleet/authority/ca.crt")
        #expect(next != former)
        let undropped = try await SecuredBroker.run(["authority", "drop"], folder: broker.folder)
        #expect(undropped.ending == .exited(1) && undropped.errors.contains("van-7"), "\(undropped.errors)")
        try await renew("r2")
        try await broker.provision("authority", "drop")
        #expect(try broker.folder.read("fleet/broker/ca.crt") == next)
        #expect(try await isBack(vehicle, broker), "\(vehicle.child.errors)")
        let status = try #require(await vehicle.status())
        #expect(!status.problems.contains { $0.code == .certificateRefused }, "\(status.problems)")
        // The file of the vehicle's configuration has the former authority only.
        #expect(try vehicle.folder.read("ca.crt") == former)
        #expect(try vehicle.folder.read("agent.db-authorities").contains(next))
    }

    @Test("A new authority is not used while a vehicle has not taken its certificate, and is when it has")
    func away() async throws {
        let broker = try await SecuredBroker(
            people: ["ann": "dashboard", "bob": "operator", "eva": "administrator"], signer: "certs")
        let vehicle = try await ProvisionedVehicle(broker)
        #expect(try await eventually { await vehicle.status()?.isConnected == true ? true : nil } != nil)
        try await broker.provision("authority", "add")
        #expect(try await isBack(vehicle, broker), "\(vehicle.child.errors)")
        let watcher = try await broker.watchRequests()
        try await broker.sendRenewal(id: "r1")
        try await broker.waitForRequest(in: watcher)
        vehicle.child.send(SIGKILL)
        try await vehicle.child.wait()
        try await broker.provision("requests", "--wait", "2")
        let early = try await SecuredBroker.run(["authority", "use", "--wait", "2"], folder: broker.folder)
        #expect(early.ending == .exited(1) && early.errors.contains("van-7. Run provision requests"), "\(early.errors)")
        let again = try await ProvisionedVehicle(broker, certificate: "van-7", in: vehicle.folder)
        try await broker.waitForRenewal(again)
        try await broker.provision("authority", "use", "--wait", "2")
        #expect(try await isBack(again, broker), "\(again.child.errors)")
    }

    @Test("A vehicle does not trust an authority that no trusted one introduces")
    func stranger() async throws {
        let broker = try await SecuredBroker.renewing()
        let watcher = try await broker.watchRequests()
        let vehicle = try await ProvisionedVehicle(broker)
        try await broker.waitForRequest(in: watcher)
        let exchange = broker.folder.file("exchange")
        try await broker.provision("requests", "--wait", "2", "--export", exchange)
        // Somebody who has the login, but not the key of the authority.
        let script = """
            cd "$0"
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -subj /CN=other -days 9 \\
                -out other.crt
            printf 'extendedKeyUsage = clientAuth\\n' >extensions
            openssl x509 -req -in exchange/van-7.csr -CA other.crt -CAkey other.key -CAcreateserial -days 9 \\
                -extfile extensions -out exchange/van-7.crt
            cat other.crt >>exchange/van-7.crt
            """
        let made = try await ChildProcess.run("bash", ["-ec", script, broker.folder.path])
        #expect(made.ending == .exited(0), "\(made.errors)")
        try await broker.provision("requests", "--import", exchange)
        let problem = try await eventually {
            await vehicle.status()?.problems.first { $0.code == .certificateRefused }
        }
        #expect(problem?.text.contains("cannot be used") == true, "\(vehicle.child.errors)")
        #expect(await vehicle.days() == 50)
        #expect(await vehicle.status()?.isConnected == true)
        #expect(CertificateFiles.bytes(of: vehicle.file.introduced) == nil)
    }
}
