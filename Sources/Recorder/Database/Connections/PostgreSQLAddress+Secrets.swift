extension PostgreSQLAddress {
    /// Returns the arguments of a program that are refused because they contain a password, and for each a text that a
    /// message can quote instead.
    package static func secrets(in arguments: [String]) -> [String: String] {
        // An option can be one argument with its value: --database=postgresql://…
        let values =
            arguments
            + arguments.compactMap { argument in
                argument.firstIndex(of: "=").map { String(argument[$0...].dropFirst()) }
            }
        let secrets = values.filter { isAddress($0) && PostgreSQLAddress($0) == nil }
        return Dictionary(
            uniqueKeysWithValues: Set(secrets).map { ($0, "postgresql://… with a password; use ~/.pgpass") })
    }
}
