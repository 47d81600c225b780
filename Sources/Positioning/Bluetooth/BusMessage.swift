import COdographSystemdBus

/// A message of D-Bus. The functions that read return nil for another type, and at the end.
final class BusMessage {
    private let functions: odograph_sdbus
    let pointer: OpaquePointer

    init(_ functions: odograph_sdbus, _ pointer: OpaquePointer) {
        (self.functions, self.pointer) = (functions, pointer)
    }

    deinit { _ = functions.sd_bus_message_unref(pointer) }

    /// The object that sent it.
    var path: String { functions.sd_bus_message_get_path(pointer).map { String(cString: $0) } ?? "" }
    /// The name of the signal.
    var member: String { functions.sd_bus_message_get_member(pointer).map { String(cString: $0) } ?? "" }

    // MARK: Writing

    func append(text: String, type: Character = "s") {
        _ = text.withCString { functions.sd_bus_message_append_basic(pointer, Self.code(type), $0) }
    }

    /// Appends a dictionary of names and values.
    func append(properties: [(name: String, type: String, append: (BusMessage) -> Void)]) {
        _ = functions.sd_bus_message_open_container(pointer, Self.code("a"), "{sv}")
        for property in properties {
            _ = functions.sd_bus_message_open_container(pointer, Self.code("e"), "sv")
            append(text: property.name)
            _ = functions.sd_bus_message_open_container(pointer, Self.code("v"), property.type)
            property.append(self)
            _ = functions.sd_bus_message_close_container(pointer)
            _ = functions.sd_bus_message_close_container(pointer)
        }
        _ = functions.sd_bus_message_close_container(pointer)
    }

    func append(bool: Bool) {
        var value: Int32 = bool ? 1 : 0
        _ = functions.sd_bus_message_append_basic(pointer, Self.code("b"), &value)
    }

    func append(int16: Int16) {
        var value = int16
        _ = functions.sd_bus_message_append_basic(pointer, Self.code("n"), &value)
    }

    // MARK: Reading

    /// Reads a string or the path of an object.
    func text(_ type: Character = "s") -> String? {
        var value: UnsafePointer<CChar>?
        guard functions.sd_bus_message_read_basic(pointer, Self.code(type), &value) > 0 else { return nil }
        return value.map { String(cString: $0) }
    }

    func bool() -> Bool? {
        var value: Int32 = 0
        return functions.sd_bus_message_read_basic(pointer, Self.code("b"), &value) > 0 ? value != 0 : nil
    }

    func int16() -> Int16? {
        var value: Int16 = 0
        return functions.sd_bus_message_read_basic(pointer, Self.code("n"), &value) > 0 ? value : nil
    }

    func uint16() -> UInt16? {
        var value: UInt16 = 0
        return functions.sd_bus_message_read_basic(pointer, Self.code("q"), &value) > 0 ? value : nil
    }

    func bytes() -> [UInt8]? {
        var start: UnsafeRawPointer?
        var size = 0
        guard functions.sd_bus_message_read_array(pointer, Self.code("y"), &start, &size) >= 0 else { return nil }
        return start.map { Array(UnsafeRawBufferPointer(start: $0, count: size)) } ?? []
    }

    /// Reads the elements of a container. Those that the function leaves are skipped.
    /// - Parameters:
    ///   - type: `a`, `e` for an entry of a dictionary, or `v`.
    ///   - contents: The types of the elements.
    ///   - read: Reads one element. Returns false if it cannot.
    /// - Returns: Whether there is such a container.
    @discardableResult
    func container(_ type: Character, _ contents: String, _ read: () -> Bool) -> Bool {
        guard functions.sd_bus_message_enter_container(pointer, Self.code(type), contents) > 0 else { return false }
        if type == "a" { while read() {} } else { _ = read() }
        while !isAtEnd, functions.sd_bus_message_skip(pointer, nil) > 0 {}
        return functions.sd_bus_message_exit_container(pointer) >= 0
    }

    /// Reads the entries of a dictionary.
    @discardableResult
    func dictionary(_ contents: String, _ readEntry: () -> Bool) -> Bool {
        container("a", "{\(contents)}") { container("e", contents, readEntry) }
    }

    /// Reads a value of any type if it has this one, or skips it.
    func variant<Value>(_ type: String, _ read: () -> Value?) -> Value? {
        var value: Value?
        let isRead = container("v", type) {
            value = read()
            return value != nil
        }
        if !isRead { skip("v") }
        return value
    }

    /// Skips elements.
    func skip(_ types: String) { _ = functions.sd_bus_message_skip(pointer, types) }

    private var isAtEnd: Bool { functions.sd_bus_message_peek_type(pointer, nil, nil) <= 0 }

    private static func code(_ character: Character) -> CChar { CChar(character.asciiValue ?? 0) }
}
