import COdographSystemdBus
import Glibc

/// A connection to D-Bus. One thread uses it.
struct SystemBus: ~Copyable {
    /// An error of the bus or of a service on it.
    struct Failure: Error {
        /// The name of the error, such as `org.bluez.Error.NotReady`; nil for an error of the connection.
        var name: String?
        /// The description.
        var reason: String
    }

    /// The time after which a call has failed, microseconds.
    private static let callTimeout: UInt64 = 10_000_000

    /// The functions of libsystemd; nil if this machine has none.
    static let library: odograph_sdbus? = {
        var functions = odograph_sdbus()
        return odograph_sdbus_load(&functions) == 1 ? functions : nil
    }()

    private let functions: odograph_sdbus
    private let bus: OpaquePointer

    /// Connects.
    /// - Parameter address: The address of the bus; nil for the system bus, or the one in `DBUS_SYSTEM_BUS_ADDRESS`.
    static func connected(to address: String?) throws(Failure) -> SystemBus {
        guard let functions = library else {
            throw Failure(reason: "this machine has no libsystemd.so.0; install the package libsystemd0")
        }
        var bus: OpaquePointer?
        var result: Int32
        if let address {
            result = functions.sd_bus_new(&bus)
            if result >= 0 { result = functions.sd_bus_set_address(bus, address) }
            if result >= 0 { result = functions.sd_bus_set_bus_client(bus, 1) }
            if result >= 0 { result = functions.sd_bus_start(bus) }
        } else {
            result = functions.sd_bus_open_system(&bus)
        }
        guard result >= 0, let bus else {
            if let bus { _ = functions.sd_bus_flush_close_unref(bus) }
            throw Failure(reason: "no connection to D-Bus (\(text(of: result))); install the package dbus")
        }
        return SystemBus(functions: functions, bus: bus)
    }

    private init(functions: odograph_sdbus, bus: OpaquePointer) {
        (self.functions, self.bus) = (functions, bus)
    }

    deinit { _ = functions.sd_bus_flush_close_unref(bus) }

    /// The descriptor for `poll`.
    var descriptor: Int32 { functions.sd_bus_get_fd(bus) }

    private static func text(of result: Int32) -> String { String(cString: strerror(-result)) }

    /// Returns the next message that was received, or nil if there is none yet.
    func nextMessage() throws(Failure) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let result = functions.sd_bus_process(bus, &message)
            guard result >= 0 else { throw Failure(reason: "D-Bus: \(Self.text(of: result))") }
            if let message { return BusMessage(functions, message) }
            if result == 0 { return nil }
        }
    }

    /// Calls a method and waits for the answer.
    /// - Parameter append: Appends the arguments.
    @discardableResult
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        append: (BusMessage) -> Void = { _ in }
    ) throws(Failure) -> BusMessage? {
        var request: OpaquePointer?
        let result = functions.sd_bus_message_new_method_call(bus, &request, destination, path, interface, member)
        guard result >= 0, let request else { throw Failure(reason: "D-Bus: \(Self.text(of: result))") }
        let message = BusMessage(functions, request)
        append(message)
        var error = odograph_sdbus_error()
        var reply: OpaquePointer?
        let answer = functions.sd_bus_call(bus, message.pointer, Self.callTimeout, &error, &reply)
        defer { functions.sd_bus_error_free(&error) }
        guard answer >= 0 else {
            let name = error.name.map { String(cString: $0) }
            throw Failure(name: name, reason: error.message.map { String(cString: $0) } ?? Self.text(of: answer))
        }
        return reply.map { BusMessage(functions, $0) }
    }

    /// Adds or removes a rule for the signals that are received.
    func match(_ rule: String, isAdded: Bool = true) throws(Failure) {
        try call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
            isAdded ? "AddMatch" : "RemoveMatch"
        ) { $0.append(text: rule) }
    }
}
