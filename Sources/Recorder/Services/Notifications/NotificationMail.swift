import OdographCivilTime
import OdographHTTP
import OdographSettings
import OdographTerminal

/// The subject and the text of the e-mail of a notification.
struct NotificationMail: Hashable, Sendable {
    /// The longest subject, characters.
    private static let longestSubject = 150

    /// The subject, one line.
    let subject: String
    /// The text.
    let text: String

    /// - Parameters:
    ///   - notification: The notification.
    ///   - zone: The zone of the vehicle's days.
    ///   - link: The address of a page about the vehicle.
    init(_ notification: RuleNotification, in zone: ZoneRules, link: LinkTemplate?) {
        let sentence = notification.text.printable
        subject = String(sentence.prefix(Self.longestSubject))
        let time = zone.localTime(at: notification.time)
        var lines = [sentence, ""]
        func add(_ name: String, _ value: String?) {
            guard let value else { return }
            lines.append("\(name):" + String(repeating: " ", count: max(1, 9 - name.count)) + value.printable)
        }
        add("Vehicle", "\(notification.device) of \(notification.fleet)")
        add("Time", "\(time.date.text) \(time.timeText) (\(zone.identifier))")
        add("Place", Self.place(of: notification))
        add(
            "Speed",
            notification.speed.map {
                "up to \(RuleNotification.Speed.text($0.peak)), the limit is \(RuleNotification.Speed.text($0.limit))"
            })
        for value in notification.refused ?? [] { add("Refused", "\(value.path) (\(value.topic))") }
        add("Rule", "\(notification.rule) (\(notification.when.rawValue))")
        if let address = link?.address(Self.values(of: notification)) { lines += ["", address] }
        text = lines.map { $0 + "\n" }.joined()
    }

    /// Returns the name of the geofence and the coordinates, as far as the notification has them.
    private static func place(of notification: RuleNotification) -> String? {
        let coordinates = notification.position.map { position in
            let accuracy = position.accuracy >= 0 ? " (± \(Int(min(position.accuracy, 1e6).rounded())) m)" : ""
            return degrees(position.latitude) + ", " + degrees(position.longitude) + accuracy
        }
        let name = notification.geofence.map { $0.name ?? $0.identifier }
        let parts = [name, coordinates].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func values(of notification: RuleNotification) -> [LinkTemplate.Place: String] {
        var values: [LinkTemplate.Place: String] = [.fleet: notification.fleet, .device: notification.device]
        if let position = notification.position {
            values[.latitude] = degrees(position.latitude)
            values[.longitude] = degrees(position.longitude)
        }
        return values
    }

    private static func degrees(_ degrees: Double) -> String { degrees.formatted(decimals: 5) }
}
