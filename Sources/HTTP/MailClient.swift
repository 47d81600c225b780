import COdographCurl
/// A client that hands mails to a server. It waits for the answer, and keeps its connection for the next mail.
///
/// It verifies certificates with TLS 1.2 or newer. Without `isPlain` it sends neither a mail nor a password before the
/// connection is encrypted.
package final class MailClient {
    /// The result of an attempt to hand over a mail.
    package enum Outcome: Hashable, Sendable {
        /// The server has taken it.
        case sent
        /// The server will never take it, for this reason.
        case refused(String)
        /// The server could not be reached, or cannot take it now, for this reason.
        case failed(String)
    }

    /// A login at the server.
    package struct Login: Hashable, Sendable {
        package var user: String
        package var password: String

        /// - Parameters: As the properties of the same names.
        package init(user: String, password: String) { (self.user, self.password) = (user, password) }
    }

    private let handle: OpaquePointer
    private let limits: HTTPClient.Limits

    /// - Parameter limits: The limits of each mail.
    /// - Throws: ``HTTPFailure`` if this machine has no libcurl.
    package init(limits: HTTPClient.Limits = HTTPClient.Limits()) throws(HTTPFailure) {
        guard let handle = odograph_http_open() else { throw HTTPFailure.noLibrary }
        self.handle = handle
        self.limits = limits
    }

    deinit { odograph_http_close(handle) }

    /// Sends a mail, and waits for the answer.
    /// - Parameters:
    ///   - message: The mail.
    ///   - server: The server.
    ///   - isPlain: Whether `smtp://` goes without encryption.
    ///   - caFile: The authorities that may have signed the server's certificate, PEM; nil for those of the system.
    ///   - login: The login; nil for none.
    package func send(
        _ message: MailMessage, to server: MailServer, isPlain: Bool = false, caFile: String? = nil, login: Login? = nil
    ) -> Outcome {
        let texts = [server.text, caFile, login?.user, login?.password, message.sender.text, message.recipient.text]
        guard !texts.contains(where: { $0?.utf8.contains(0) == true }) else {
            return .failed("the login contains the character 0")
        }
        let bytes = message.bytes
        var answer = odograph_mail_answer()
        withTexts(texts) { texts in
            bytes.withUnsafeBytes { bytes in
                var mail = odograph_mail()
                (mail.url, mail.ca_file, mail.is_plain) = (texts[0], texts[1], isPlain ? 1 : 0)
                (mail.user, mail.password) = (texts[2], texts[3])
                (mail.sender, mail.recipient) = (texts[4], texts[5])
                mail.message = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                mail.message_bytes = bytes.count
                mail.connect_milliseconds = Int(limits.connectSeconds * 1000)
                mail.total_milliseconds = Int(limits.totalSeconds * 1000)
                mail.answer_bytes = limits.answerBytes
                odograph_mail_send(handle, &mail, &answer)
            }
        }
        guard answer.is_sent == 0 else { return .sent }
        let text = withUnsafeBytes(of: answer.reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let reason = "\(text.split(separator: "\n").joined(separator: "; ")) (status \(answer.status))"
        guard answer.is_login_refused == 0 else { return .failed("the server refuses the login: \(reason)") }
        return Self.refusals.contains(answer.status) ? .refused(reason) : .failed(reason)
    }

    /// The states by which a server says that it will never take the mail (RFC 5321, RFC 3463). The other permanent
    /// errors are about the login or the order of commands, which a person corrects.
    private static let refusals: Set<Int> = [550, 551, 552, 553, 554, 555, 556]
}
