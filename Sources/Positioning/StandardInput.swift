/// The standard input as the file of a command.
package enum StandardInput {
    /// The path that stands for it.
    package static let path = "-"

    /// Returns the name of a file in messages.
    package static func name(of path: String) -> String { path == self.path ? "the standard input" : path }
}
