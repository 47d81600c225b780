import Glibc
import OdographHarness
import Odograph
import Testing

extension SecuredBroker {
    /// A fleet whose vehicles ask for a certificate at once: they ask 60 days before the end. `ann` reads all
    /// but certificates, `bob` sends commands, and `eva` reads all.
    static func renewing(_ vehicles: [String] = ["van-7"]) async throws -> SecuredBroker {
        try await SecuredBroker(
            vehicles: vehicles.map { [$0, "--days", "50"] },
            people: ["ann": "dashboard", "bob": "operator", "eva": "administrator"], signer: "certs")
    }

    /// Subscribes to the requests of all vehicles.
    func watchRequests() async throws -> ChildProcess {
        try await listen(to: ["fleet/acme/+/certificate/request"], as: .person("ann"))
    }

    /// Waits for the request of a vehicle, or for so many of it.
    func waitForRequest(of name: String = "van-7", count: Int = 1, in watcher: ChildProcess) async throws {
        let beginning = "fleet/acme/\(name)/certificate/request -----BEGIN"
        let isThere = try await eventually {
            watcher.output.split(separator: "\n").count { $0.hasPrefix(beginning) } >= count ? true : nil
        }
        #expect(isThere != nil, "\(watcher.output)")
    }

    /// Waits until a vehicle is connected with its new certificate, and until the broker retains nothing of the
    /// renewal.
    func waitForRenewal(_ vehicle: ProvisionedVehicle) async throws {
        let isDone = try await eventually { () -> Bool? in
            guard let status = await vehicle.status(), status.isConnected else { return nil }
            let hasRest = vehicle.has(vehicle.file.pending) || vehicle.has(vehicle.file.candidate)
            return !hasRest && vehicle.has(vehicle.file.renewed) ? true : nil
        }
        #expect(isDone != nil, "\(vehicle.child.errors) \(log)")
        let left = try await retained("fleet/acme/\(vehicle.name)/certificate/#")
        #expect(left.isEmpty, "\(left)")
    }

    /// Returns what the broker retains for a filter.
    func retained(_ filter: String) async throws -> String {
        let ran = try await ChildProcess.run(
            "mosquitto_sub", arguments(.person("eva")) + ["-t", filter, "--retained-only", "-v", "-W", "2"])
        // 27: the time is over. A refused login would look as if nothing were retained.
        guard ran.ending == .exited(0) || ran.ending == .exited(27) else { throw HarnessError(ran.errors) }
        return ran.output
    }

    /// Sends a vehicle the command `renew_certificate`.
    func sendRenewal(id: String, to name: String = "van-7") async throws {
        let command = #"{"id":"\#(id)","action":"renew_certificate"}"#
        _ = try await ChildProcess.run(
            "mosquitto_pub", arguments(.person("bob")) + ["-t", "fleet/acme/\(name)/command", "-m", command])
    }
}

extension ProvisionedVehicle {
    /// The files of a renewal.
    var file: CertificateFiles { CertificateFiles(besideStore: folder.file("agent.db")) }

    func has(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The days until the end of the vehicle's certificate, as it states it.
    func days() async -> Int? {
        guard let status = await status(), let end = status.certificates?.vehicle else { return nil }
        return Int((end.seconds(since: status.timestamp) / 86_400).rounded())
    }
}
