/// A value from a set that a later version can extend, with its spelling on the wire as the raw value.
///
/// Each known value is a static member. Another value comes from a newer agent: it stays readable as `rawValue` and
/// encodes unchanged. So a `switch` needs a `default`. Settings, which only this version reads, are plain enumerations.
public protocol OpenEnumeration: RawRepresentable<String>, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The values that this version knows.
    static var knownValues: [Self] { get }

    /// Creates a value, also an unknown one.
    init(rawValue: String)
}

extension OpenEnumeration {
    /// The value on the wire.
    public var description: String { rawValue }

    /// Creates the wire form of a value of the agent, which has the same spelling.
    package init(_ value: some RawRepresentable<String>) { self.init(rawValue: value.rawValue) }
}
