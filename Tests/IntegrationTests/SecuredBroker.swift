import Glibc
import OdographHarness
import OdographThreads

/// A broker as `deploy/mosquitto` sets it up: its configuration with other ports, and certificates, passwords and rules
/// from `provision`.
final class SecuredBroker: Sendable {
    /// A client of the broker.
    enum Client {
        /// A vehicle with a certificate from a folder of `vehicles`.
        case vehicle(String)
        /// A person with a name and a password.
        case person(String)
    }

    /// The password of every person.
    static let password = "correct horse battery"

    let folder: TemporaryFolder
    /// The port for vehicles.
    let vehiclesPort: UInt16
    /// The port for people.
    let peoplePort: UInt16
    /// The port of the dashboard's page.
    let pagePort: UInt16
    /// The port of MQTT over websockets. mosquitto 2.0 serves the page on the same one.
    let socketPort: UInt16
    private let process = Lock<ChildProcess?>(nil)

    /// Sets up an authority for the fleet `acme`, and starts the broker.
    /// - Parameters:
    ///   - vehicles: The arguments of `provision vehicle` for each vehicle.
    ///   - people: The role of each person.
    ///   - recorders: The names of `provision recorder`.
    ///   - signer: The name of `provision signer`; nil for none.
    ///   - settings: Lines of the configuration and their replacements.
    init(
        vehicles: [[String]] = [["van-7", "--group", "vans"]], people: [String: String] = [:],
        recorders: [String] = [], signer: String? = nil, settings: [(old: String, new: String)] = []
    ) async throws {
        folder = try TemporaryFolder()
        (vehiclesPort, peoplePort, pagePort) = (try FreePort.next(), try FreePort.next(), try FreePort.next())
        let made = try await Self.run(["init", "--fleet", "acme", "--name", "127.0.0.1"], folder: folder)
        guard made.ending == .exited(0) else { throw HarnessError("provision init: \(made.errors)") }
        let isServedApart = try folder.read("fleet/broker/odograph.conf").contains("protocol http_api")
        socketPort = isServedApart ? try FreePort.next() : pagePort
        for arguments in vehicles { try await provision(["vehicle"] + arguments) }
        for (name, role) in people { try await addPerson(name, role: role) }
        for name in recorders { try await provision("recorder", name) }
        if let signer {
            try await provision("signer", signer)
            let file = "fleet/signer/settings"
            try folder.write(try folder.read(file).replacing(":8884", with: ":\(peoplePort)"), to: file)
        }
        try writeConfiguration(settings)
        try await start()
    }

    /// Runs `provision` and returns its output.
    /// - Throws: ``HarnessError`` if the command fails.
    @discardableResult
    func provision(_ arguments: String..., input: String = "") async throws -> String {
        try await provision(arguments, input: input)
    }

    @discardableResult
    func provision(_ arguments: [String], input: String = "") async throws -> String {
        let ran = try await Self.run(arguments, folder: folder, input: input)
        guard ran.ending == .exited(0) else { throw HarnessError("provision \(arguments): \(ran.errors)") }
        return ran.output
    }

    /// Runs `provision` on a folder and returns its result, also if it fails.
    /// - Parameter programs: A folder of programs that it uses instead of the installed ones.
    static func run(
        _ arguments: [String], folder: TemporaryFolder, input: String = "", programs: String? = nil
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return try await ChildProcess.run(
            Corpora.projectRoot + "/deploy/mosquitto/provision", ["--folder", folder.file("fleet")] + arguments,
            environment: programs.map { ["PATH": "\($0):\(path)"] } ?? [:], input: input)
    }

    /// Adds a person with the common password.
    func addPerson(_ name: String, role: String) async throws {
        try await provision("person", name, "--role", role, "--password-stdin", input: Self.password + "\n")
    }

    private func writeConfiguration(_ settings: [(old: String, new: String)]) throws {
        var text = try folder.read("fleet/broker/odograph.conf")
        try folder.write("<p>the page</p>", to: "fleet/dashboard/index.html")
        for (old, new) in [
            ("listener 8883\n", "listener \(vehiclesPort) 127.0.0.1\n"),
            ("listener 8884\n", "listener \(peoplePort) 127.0.0.1\n"),
        ]
            + (socketPort == pagePort
                ? [("listener 8080 lo\n", "listener \(pagePort) lo\n")]
                : [
                    ("listener 8081 127.0.0.1\n", "listener \(socketPort) 127.0.0.1\n"),
                    ("listener 8080 127.0.0.1\n", "listener \(pagePort) 127.0.0.1\n"),
                ]) + settings
        {
            guard text.contains(old) else { throw HarnessError("odograph.conf has no \"\(old)\"") }
            text = text.replacing(old, with: new)
        }
        mkdir(folder.file("store"), 0o700)
        // Settings of Debian's own file. By default root's broker runs as a user that may not read the test's folder.
        let above = "persistence true\npersistence_location \(folder.file("store"))/\nlog_dest stderr\n"
        try folder.write((getuid() == 0 ? "user root\n" : "") + above + text, to: "mosquitto.conf")
    }

    private var current: ChildProcess? { process.withLock { $0 } }

    func start() async throws {
        let child = try ChildProcess("mosquitto", ["-c", folder.file("mosquitto.conf")])
        process.withLock { $0 = child }
        let ports = [vehiclesPort, peoplePort, pagePort, socketPort]
        let isUp = try await eventually { () -> Bool? in
            if child.poll() != nil { throw HarnessError("mosquitto ended at once: \(child.errors)") }
            return ports.allSatisfy(FreePort.isServed) ? true : nil
        }
        guard isUp != nil else { throw HarnessError("mosquitto does not listen: \(child.errors)") }
    }

    /// Stops the broker and starts it again, as a revocation requires.
    func restart() async throws {
        current?.send(SIGTERM)
        try await current?.wait()
        try await start()
    }

    /// Makes the broker reload its rules, passwords and certificates.
    func reload() { current?.send(SIGHUP) }

    /// The command that makes the broker reload its files.
    var reloadCommand: String { "kill -HUP \(current?.identifier ?? 0)" }

    /// The resident memory of the broker's process in kB; 0 if it does not run.
    var residentKilobytes: Int {
        guard let current, let text = try? FileContents.text("/proc/\(current.identifier)/status") else { return 0 }
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
    }

    /// The log of the broker.
    var log: String { current?.errors ?? "" }

    /// Returns the folder that is copied to a vehicle.
    func vehicle(_ name: String) -> String { folder.file("fleet/vehicles/\(name)") }

    /// Returns the arguments with which the broker's own tools log in.
    func arguments(_ client: Client) -> [String] {
        let authority = ["-h", "127.0.0.1", "-V", "5", "-q", "1", "--cafile", folder.file("fleet/broker/ca.crt")]
        switch client {
        case .vehicle(let name):
            let files = ["--cert", vehicle(name) + "/\(name).crt", "--key", vehicle(name) + "/credentials/\(name).key"]
            return authority + ["-p", "\(vehiclesPort)"] + files
        case .person(let name):
            return authority + ["-p", "\(peoplePort)", "-u", name, "-P", Self.password]
        }
    }

    /// Publishes a retained message.
    /// - Returns: Whether the broker accepted it.
    func publish(_ payload: String, to topic: String, as client: Client) async throws -> Bool {
        let ran = try await ChildProcess.run(
            "mosquitto_pub", arguments(client) + ["-t", topic, "-r", "-m", payload, "-d"])
        guard ran.output.contains("PUBACK") else { throw HarnessError("no answer: \(ran.output) \(ran.errors)") }
        return !ran.errors.contains("Not authorized")
    }

    /// Subscribes until the child process ends. Its output has a line `topic payload` for each message.
    func listen(to topics: [String], as client: Client) async throws -> ChildProcess {
        let child = try ChildProcess(
            "stdbuf", ["-oL", "mosquitto_sub"] + arguments(client) + ["-d", "-v"] + topics.flatMap { ["-t", $0] })
        guard try await eventually({ child.output.contains("SUBACK") ? true : nil }) != nil else {
            throw HarnessError("no subscription: \(child.output) \(child.errors)")
        }
        return child
    }
}
