import Glibc
import Odograph
import OdographHarness
import Testing

/// Checks that a refused agent reports the reason and continues to record.
@Suite("A vehicle that the broker refuses")
struct RefusedVehicleTests {
    @Test("Without a certificate the agent reports that one is required")
    func none() async throws {
        let broker = try await SecuredBroker()
        let vehicle = try await ProvisionedVehicle(broker, isWithoutCertificate: true)
        try await vehicle.waitUntilRefused(saying: "the broker rejects this client's certificate")
        #expect(vehicle.child.errors.contains("required"), "\(vehicle.child.errors)")
    }

    @Test("With a certificate of another authority the agent reports it")
    func stranger() async throws {
        let broker = try await SecuredBroker()
        let other = try await SecuredBroker()
        // The agent knows the right broker and has a wrong certificate.
        for file in ["van-7.crt", "credentials/van-7.key"] {
            try await ChildProcess.run(
                "cp", [other.vehicle("van-7") + "/" + file, broker.vehicle("van-7") + "/" + file])
        }
        let vehicle = try await ProvisionedVehicle(broker)
        try await vehicle.waitUntilRefused(saying: "the broker rejects this client's certificate")
        #expect(vehicle.child.errors.contains("unknown ca"), "\(vehicle.child.errors)")
    }

    @Test("With an expired certificate the agent reports it")
    func expired() async throws {
        let broker = try await SecuredBroker()
        let folder = broker.vehicle("van-7")
        let authority = broker.folder.file("fleet/authority")
        let request = try await ChildProcess.run(
            "openssl",
            [
                "req", "-new", "-key", folder + "/credentials/van-7.key", "-subj", "/CN=van-7", "-out",
                folder + "/late.csr",
            ])
        #expect(request.ending == .exited(0), "\(request.errors)")
        let issued = try await ChildProcess.run(
            "openssl",
            [
                "x509", "-req", "-in", folder + "/late.csr", "-CA", authority + "/ca.crt", "-CAkey",
                authority + "/ca.key",
                "-set_serial", "77", "-out", folder + "/late.crt",
            ] + (try await Authority.expiredOptions()))
        #expect(issued.ending == .exited(0), "\(issued.errors)")
        let vehicle = try await ProvisionedVehicle(broker, certificateFile: folder + "/late.crt")
        try await vehicle.waitUntilRefused(saying: "the broker rejects this client's certificate")
        #expect(vehicle.child.errors.contains("expired"), "\(vehicle.child.errors)")
        // The way out: a new certificate with its key comes by a file, and the agent starts again.
        vehicle.child.send(SIGTERM)
        try await vehicle.child.wait()
        #expect(try await broker.provision("renew", "van-7").contains("van-7: created a certificate"))
        let renewed = try await ProvisionedVehicle(broker, in: vehicle.folder)
        let isConnected = try await eventually { await renewed.status()?.isConnected == true ? true : nil }
        #expect(isConnected != nil, "\(renewed.child.errors)")
        #expect(try await eventually { await renewed.days() == 730 ? true : nil } != nil)
    }

    @Test(
        "A revoked vehicle is disconnected and reports the reason, and a new certificate lets it in again"
    )
    func revoked() async throws {
        let broker = try await SecuredBroker()
        let vehicle = try await ProvisionedVehicle(broker)
        let isConnected = try await eventually {
            vehicle.child.errors.contains("connected to the broker") ? true : nil
        }
        #expect(isConnected != nil, "\(vehicle.child.errors)")
        #expect(try await broker.provision("revoke", "van-7").contains("Now restart the broker"))
        try await broker.restart()
        try await vehicle.waitUntilRefused(saying: "the broker rejects this client's certificate")
        #expect(vehicle.child.errors.contains("revoked"), "\(vehicle.child.errors)")

        try await broker.provision("vehicle", "van-7", "--group", "vans")
        broker.reload()
        let again = try await ProvisionedVehicle(broker)
        let isBack = try await eventually {
            again.child.errors.contains("connected to the broker") ? true : nil
        }
        #expect(isBack != nil, "\(again.child.errors) \(broker.log)")
    }

    @Test("With another vehicle's certificate all messages are refused, and the agent reports it")
    func another() async throws {
        let broker = try await SecuredBroker(people: ["ann": "dashboard"])
        let listening = try await broker.listen(to: ["fleet/#"], as: .person("ann"))
        let vehicle = try await ProvisionedVehicle(broker, device: "van-8")
        try await vehicle.waitUntilRefused(saying: "check that user and certificate belong to this device")
        #expect(!listening.output.contains("fleet/acme"), "\(listening.output)")
    }
}
