import OdographCivilTime
import OdographTerminal
import OdographWire

extension Timestamp {
    /// The end of a certificate in relation to a time: "ends in 12 days", "has ended".
    func endText(at now: Timestamp) -> String {
        let seconds = seconds(since: now)
        return seconds < 0 ? "has ended" : "ends in \(Format.count(Int(seconds / 86_400), "day", "days"))"
    }
}

extension CertificateEnds {
    /// The ends in one line: "vehicle until 2028-11-27 (ends in 730 days); broker until …".
    func text(now: Timestamp) -> String {
        [("vehicle", vehicle), ("broker", broker), ("authority", authority)].compactMap { name, end in
            end.map { "\(name) until \($0.iso8601.prefix(10)) (\($0.endText(at: now)))" }
        }.joined(separator: "; ")
    }
}
