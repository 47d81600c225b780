import OdographHTTP

/// The recipients of the e-mails of a rule, and the server that takes them.
package struct MailTarget: Hashable, Sendable {
    /// The recipients, at least one.
    package var recipients: [MailAddress]
    /// The server.
    package var settings: MailSettings
}
