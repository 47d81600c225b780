import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// `odograph set`: for programs on the vehicle, such as an RFID reader, a button or a digital input.
struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the driver, a tag, private time, signals of the vehicle, or extras.",
        discussion: "For scripts on the vehicle. The agent must be running.",
        subcommands: [
            SetDriverCommand.self, SetTagCommand.self, SetSignalsCommand.self, SetExtrasCommand.self,
        ])
}

/// The options of all these commands.
struct SetOptions: ParsableArguments {
    @Flag(help: "Keep it over a restart of the agent.")
    var persist = false

    @OptionGroup var options: AgentOptions

    /// Says in JSON that a value is set; for people the exit code says so.
    func printDone() throws { if options.json { try Console.printJSON("{}\n") } }
}

/// `odograph set driver NAME`.
struct SetDriverCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver", abstract: "Set the driver of records from now on.")

    @Argument(help: ArgumentHelp("The driver's name or number, 1 to 200 characters.", valueName: "name"))
    var driver: String?

    @Flag(help: "There is no driver.")
    var none = false

    @OptionGroup var set: SetOptions

    func validate() throws {
        guard (driver == nil) == none else { throw ValidationError("Give the driver's name, or --none.") }
    }

    func run() async throws {
        try await set.options.agent().setDriver(driver, persists: set.persist)
        try set.printDone()
    }
}

/// `odograph set tag NAME`.
struct SetTagCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Set the tag of records from now on, or begin private time.",
        discussion: """
            In private time distances and times are recorded, and no position is stored or sent. Its tag is on no \
            record. Private time stays over a restart of the agent, also without --persist. It ends with another tag \
            or with --none.
            """)

    @Argument(help: ArgumentHelp("The tag, 1 to 64 characters.", valueName: "name"))
    var tag: String?

    @Flag(help: "There is no tag, and private time ends.")
    var none = false

    @Flag(name: .customLong("private"), help: "The time is private. Without a tag, the tag is private.")
    var isPrivate = false

    @OptionGroup var set: SetOptions

    func validate() throws {
        guard !none || !isPrivate else { throw ValidationError("--none ends private time; leave out --private.") }
        guard (tag == nil && !isPrivate) == none else { throw ValidationError("Give the tag, --private, or --none.") }
    }

    func run() async throws {
        try await set.options.agent().setTag(
            tag ?? (isPrivate ? TimelineEventRevision.privateTag : nil), isPrivate: isPrivate, persists: set.persist)
        if tag?.lowercased() == TimelineEventRevision.privateTag, !isPrivate {
            Console.printMessage("positions are still recorded; private time needs --private\n")
        }
        try set.printDone()
    }
}

/// `odograph set signals`.
struct SetSignalsCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "signals", abstract: "Report signals of the vehicle.",
        discussion: """
            A speed is valid for 3 s, so report it about once a second. The ignition is valid until its next report, \
            and another value for 10 minutes.
            """)

    /// A state of the ignition.
    enum Ignition: String, ExpressibleByArgument, CaseIterable {
        /// The ignition is on.
        case on
        /// The ignition is off.
        case off
    }

    @Option(help: "The ignition.")
    var ignition: Ignition?

    @Option(help: ArgumentHelp("The speed of the wheels, m/s.", valueName: "value"))
    var speed: Double?

    @Option(help: ArgumentHelp("The vehicle's own odometer, metres.", valueName: "value"))
    var odometer: Double?

    @Option(help: ArgumentHelp("The speed of the engine, revolutions per minute.", valueName: "value"))
    var engineSpeed: Double?

    @Option(help: ArgumentHelp("The voltage of the vehicle's battery, volts.", valueName: "value"))
    var batteryVoltage: Double?

    @Option(help: ArgumentHelp("The content of the tank, 0 to 1.", valueName: "value"))
    var fuelLevel: Double?

    @Option(help: ArgumentHelp("The charge of the traction battery, 0 to 1.", valueName: "value"))
    var stateOfCharge: Double?

    @OptionGroup var set: SetOptions

    private var numbers: [String: Double] {
        [
            "speed": speed, "odometer": odometer, "engine_speed": engineSpeed, "battery_voltage": batteryVoltage,
            "fuel_level": fuelLevel, "state_of_charge": stateOfCharge,
        ].compactMapValues(\.self)
    }

    func validate() throws {
        guard ignition != nil || !numbers.isEmpty else {
            throw ValidationError("Give at least one signal, such as --ignition on.")
        }
        if let (name, value) = numbers.first(where: { !$0.value.isFinite }) {
            throw ValidationError("--\(name.replacing("_", with: "-")) is \(value); give a number.")
        }
    }

    func run() async throws {
        try await set.options.agent().setSignals(
            numbers, isIgnitionOn: ignition.map { $0 == .on }, persists: set.persist)
        try set.printDone()
    }
}

/// `odograph set extras JSON`.
struct SetExtrasCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "extras", abstract: "Set extras of location records, and print those in force.")

    @Argument(help: ArgumentHelp("A JSON5 object over the configured extras; {} removes it.", valueName: "json"))
    var extras: String

    @OptionGroup var set: SetOptions

    func run() async throws {
        let inForce = try await set.options.agent().setExtras(
            extras, persists: set.persist, isIndented: !set.options.json)
        try Console.printJSON(inForce + "\n")
    }
}
