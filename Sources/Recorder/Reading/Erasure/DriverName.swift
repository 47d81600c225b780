import OdographJSON

/// A driver's name as messages contain it.
struct DriverName {
    /// The name.
    let name: String
    /// The name as a text of JSON, as an agent writes it.
    let text: String
    /// The member `driver` with the name as a number; for another name, a text that no message contains.
    var member: String { "\"driver\":" + name }

    init(_ name: String) {
        self.name = name
        text = (try? JSONCoder.string(of: JSONValue.string(name))) ?? "\"" + name + "\""
    }

    /// Returns whether a payload contains the name.
    func isIn(_ payload: String) -> Bool { payload.contains(text) || payload.contains(member) }
}
