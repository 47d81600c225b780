import OdographHTTP

/// The recipients of the e-mails of a rule, and the server that takes them.
package struct MailTarget: Hashable, Sendable {
    /// The recipients, at least one.
    package var recipients: [MailAddress]
    /// The server.
    package var settings: MailSettings

    /// - Parameters: As the properties of the same names.
    package init(recipients: [MailAddress], settings: MailSettings) {
        (self.recipients, self.settings) = (recipients, settings)
    }
}
