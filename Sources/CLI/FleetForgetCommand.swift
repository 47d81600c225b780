import ArgumentParser
import Glibc
import Odograph
import OdographConsole
import OdographOperator

/// `odograph fleet forget VEHICLE`.
struct FleetForgetCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove a retired vehicle from the broker, and from a recorder's database.",
        discussion: """
            Deletes all messages that the broker retains of the vehicle and for it: status, report, position, \
            timeline, configuration, geofences, receipts and the discovery document for Home Assistant. Then no \
            command waits for the vehicle. The login must be allowed to write these topics: the role administrator \
            of provision is. With --database the command then starts "odograph-recorder erase" for the vehicle, and \
            ends with its exit code. The exit code is 75 if the vehicle is online, 69 if the broker retains nothing \
            of it.
            """)

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "The name of the vehicle.")
    var vehicle: String

    @Option(
        help: ArgumentHelp(
            "Erase the vehicle also in this database of a recorder: a file, or postgresql://….", valueName: "database"),
        completion: .file())
    var database: String?

    @Flag(help: "Remove also a vehicle that is online. It comes back with its next message.")
    var force = false

    @Flag(help: "Print one JSON object per line: each topic, and the numbers of the erased records.")
    var json = false

    func validate() throws { try FleetOptions.check(vehicle, what: "device") }

    func run() async throws {
        // Found before the broker is changed, so that a missing program changes nothing.
        let recorder = try database.map { _ in try RecorderProgram.path() }
        let (topics, receipts, fleetName) = try await fleet.using { desk -> ([String], [String], String) in
            do throws(ExitError) {
                let (topics, receipts) = try await desk.forget(vehicle, isForced: force)
                return (topics, receipts, desk.fleet)
            } catch {
                guard error.code == .unavailable, recorder != nil else { throw error }
                // An earlier run can have removed it from the broker.
                Console.printMessage(error.text + "\n")
                return ([], [], desk.fleet)
            }
        }
        if json {
            try Console.printJSON(try FleetDocument.jsonLines(topics: topics))
        } else {
            try Console.print(topics.map { "\($0): removed\n" }.joined())
        }
        guard let recorder, let database else {
            for receipt in receipts {
                Console.printMessage(
                    "\(receipt): a recorder that stores the vehicle has published it again; use --database\n")
            }
            return
        }
        let arguments =
            ["erase", "--database", database, "--device", vehicle, "--fleet", fleetName] + (json ? ["--json"] : [])
        throw RecorderProgram.replaceThisProgram(recorder, arguments)
    }
}

/// The program `odograph-recorder` on this machine.
private enum RecorderProgram {
    private static let name = "odograph-recorder"

    /// Returns the path of the program: beside this one, else in `PATH`.
    /// - Throws: `ExitError` if there is none.
    static func path() throws(ExitError) -> String {
        var own = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &own, own.count - 1)
        let text = count > 0 ? String(decoding: own[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
        let beside = text.lastIndex(of: "/").map { String(text[..<$0]) }
        let folders = getenv("PATH").map { String(cString: $0).split(separator: ":").map(String.init) } ?? []
        for folder in [beside].compactMap({ $0 }) + folders where access("\(folder)/\(name)", X_OK) == 0 {
            return "\(folder)/\(name)"
        }
        throw ExitError(
            .unavailable,
            "\(name) is not installed on this machine; run \"\(name) erase\" where the database can be reached")
    }

    /// Runs the program in place of this one, with its output and its exit code.
    /// - Returns: the error if it cannot be started.
    static func replaceThisProgram(_ path: String, _ arguments: [String]) -> ExitError {
        var texts = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, &texts)
        return ExitError(.unavailable, "\(path): \(String(cString: strerror(errno)))")
    }
}
