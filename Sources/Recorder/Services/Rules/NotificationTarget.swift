import OdographHTTP

/// The place where the notifications of a rule go.
package enum NotificationTarget: Hashable, Sendable {
    /// A web service that gets a POST with JSON.
    case webhook(WebService)
    /// A program that the recorder runs with JSON on its standard input: an absolute path, and arguments.
    case command([String])
    /// Persons who get an e-mail each.
    case email(MailTarget)

    /// The target in log messages. It contains no secret.
    var description: String {
        switch self {
        case .webhook(let service): service.address.origin
        case .command(let arguments): arguments.first ?? ""
        case .email(let mail): mail.recipients.map(\.text).joined(separator: ", ")
        }
    }
}
