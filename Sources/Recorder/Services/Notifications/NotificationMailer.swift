import OdographCivilTime
import OdographHTTP
import OdographJSON
import OdographSettings
import OdographTerminal

/// Sends notifications as e-mails, a mail to each recipient.
final class NotificationMailer {
    private var client: MailClient?
    private let limits: HTTPClient.Limits

    /// - Parameter limits: The limits of each mail.
    init(limits: HTTPClient.Limits) { self.limits = limits }

    /// Sends the mails of a notification to those who do not have it.
    /// - Parameter done: The recipients of earlier attempts that have it, or that refuse it.
    func send(_ notification: PendingNotification, to target: MailTarget, done: Set<String>) -> Delivery {
        let settings = target.settings
        let content: RuleNotification
        do {
            content = try JSONCoder.decode(RuleNotification.self, from: Array(notification.payload.utf8))
        } catch {
            return Delivery(.refused("the notification cannot be read"))
        }
        let client: MailClient
        let login: MailClient.Login?
        do throws(HTTPFailure) {
            login = try Self.login(settings)
            if let known = self.client { client = known } else { client = try MailClient(limits: limits) }
            self.client = client
        } catch {
            return Delivery(.failed("\(settings.server.text): \(error)"), done: done)
        }
        let zone = notification.timeZone.flatMap { try? ZoneDirectory.system.rules(named: $0) } ?? .utc
        let mail = NotificationMail(content, in: zone, link: settings.link)
        var delivery = Delivery(.delivered, done: done)
        var failure: String?
        for recipient in target.recipients where !done.contains(recipient.text) {
            let message = MailMessage(
                sender: settings.sender, recipient: recipient, identifier: "odograph.\(content.id)",
                date: Self.date(notification.created), subject: mail.subject, text: mail.text)
            let outcome = client.send(
                message, to: settings.server, isPlain: !settings.isEncrypted, caFile: settings.caFile, login: login)
            switch outcome {
            case .sent: delivery.done.insert(recipient.text)
            case .refused(let reason):
                delivery.done.insert(recipient.text)
                delivery.refusals.append("\(recipient.text): \(reason)")
            case .failed(let reason): failure = failure ?? "\(settings.server.text): \(reason)"
            }
        }
        if let failure {
            delivery.result = .failed(failure)
        } else if delivery.refusals.count == target.recipients.count {
            delivery.result = .refused(delivery.refusals.joined(separator: "; "))
            delivery.refusals = []
        }
        return delivery
    }

    /// Reads the password, which can change while the recorder runs.
    private static func login(_ settings: MailSettings) throws(HTTPFailure) -> MailClient.Login? {
        for case let path? in [settings.login?.passwordFile, settings.caFile] where ServiceCredentials.isMissing(path) {
            throw HTTPFailure("\(FileReader.name(of: path)): \(ServiceCredentials.problem)")
        }
        guard let login = settings.login else { return nil }
        switch FileReader.firstLine(of: login.passwordFile, atMost: 4096) {
        case .success(let password): return MailClient.Login(user: login.user, password: password)
        case .failure(let error): throw HTTPFailure("\(login.passwordFile): \(error)")
        }
    }

    /// Returns a date in UTC, such as `Sat, 21 Nov 2026 09:16:36 +0000` (RFC 5322).
    static func date(_ date: Timestamp) -> String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = ZoneRules.utc.localTime(at: date)
        let (weekday, month) = (days[time.date.weekday], months[time.date.month - 1])
        return "\(weekday), \(time.date.day) \(month) \(time.date.year) \(time.timeText) +0000"
    }
}
