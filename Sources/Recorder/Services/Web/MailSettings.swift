import OdographHTTP

/// The server that takes the e-mails of rules, and what is in all of them.
package struct MailSettings: Hashable, Sendable {
    /// The server.
    package var server: MailServer
    /// Whether the connection is encrypted. Without encryption the server is on this machine.
    package var isEncrypted: Bool
    /// The authorities that may have signed its certificate, PEM; nil for those of the system.
    package var caFile: String?
    /// The login; nil for none.
    package var login: Login?
    /// The sender.
    package var sender: MailAddress
    /// The address of a page about the vehicle; nil for none.
    package var link: LinkTemplate?

    /// A login at the server.
    package struct Login: Hashable, Sendable {
        /// The name.
        package var user: String
        /// The file whose first line is the password.
        package var passwordFile: String
    }
}
