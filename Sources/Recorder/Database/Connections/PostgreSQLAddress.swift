/// The address of a PostgreSQL database: `postgresql://user@host:5432/name`, without a password.
package struct PostgreSQLAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    package let description: String
    /// A file with passwords in the format of libpq (`~/.pgpass`); nil for libpq's default.
    package let passwordFile: String?

    /// Creates an address; nil if the text is not one, or contains a password: other users can read the arguments and
    /// the configuration.
    /// - Parameters:
    ///   - text: The address.
    ///   - passwordFile: A file with passwords in the format of libpq.
    package init?(_ text: String, passwordFile: String? = nil) {
        guard let scheme = Self.scheme(of: text) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let login = rest.prefix { $0 != "/" }.split(separator: "@", omittingEmptySubsequences: false)
        guard login.count < 2 || !login[0].contains(":"), !text.contains("password=") else { return nil }
        description = text
        self.passwordFile = passwordFile
    }

    /// Returns whether a text is meant as an address, not as a path.
    package static func isAddress(_ text: String) -> Bool { scheme(of: text) != nil }

    private static func scheme(of text: String) -> String? {
        ["postgresql://", "postgres://"].first(where: text.hasPrefix)
    }

    /// The settings of libpq. A server that does not respond ends the connection after some seconds, so that another
    /// recorder can take over.
    var settings: [(keyword: String, value: String)] {
        [
            ("dbname", description), ("connect_timeout", "10"), ("application_name", "odograph-recorder"),
            ("keepalives_idle", "3"), ("keepalives_interval", "1"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "8000"),
            // The same from the server's side: it frees the lock of a machine that is away. The last one is for a
            // machine that was away before it received an answer: keepalives are for connections without one.
            (
                "options",
                "-c tcp_keepalives_idle=3 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 "
                    + "-c tcp_user_timeout=6000"
            ),
        ] + (passwordFile.map { [("passfile", $0)] } ?? [])
    }
}
