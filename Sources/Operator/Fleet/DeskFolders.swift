/// The files of a desk, by the XDG Base Directory Specification.
package struct DeskFolders: Sendable {
    /// Returns the value of an environment variable; nil if it is absent or empty.
    private let variable: @Sendable (String) -> String?

    /// - Parameter variable: Returns the value of an environment variable.
    package init(_ variable: @escaping @Sendable (String) -> String?) {
        self.variable = { name in variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// The profile that is used without another one: `~/.config/odograph/desk.json5`; nil without a home folder.
    package var profile: String? { folder("XDG_CONFIG_HOME", ".config").map { "\($0)/odograph/desk.json5" } }

    /// The folder of the kept documents: `~/.local/state/odograph/desk`; nil without a home folder.
    package var state: String? { folder("XDG_STATE_HOME", ".local/state").map { "\($0)/odograph/desk" } }

    private func folder(_ name: String, _ usual: String) -> String? {
        // The specification ignores relative paths.
        if let set = variable(name), set.hasPrefix("/") { return set }
        return variable("HOME").map { "\($0)/\(usual)" }
    }
}
