/// A mail with one text in UTF-8 (RFC 5322, RFC 2045, RFC 2047).
package struct MailMessage: Hashable, Sendable {
    /// The longest line of a header or of the text, bytes, without its end.
    private static let longestLine = 76

    /// The sender.
    package var sender: MailAddress
    /// The recipient.
    package var recipient: MailAddress
    /// The identity, the same each time the mail is sent: letters, digits and dots.
    package var identifier: String
    /// The date of the mail, such as `Sat, 21 Nov 2026 09:16:36 +0000`.
    package var date: String
    /// The subject, one line.
    package var subject: String
    /// The text; its lines end with a line feed.
    package var text: String

    /// - Parameters: As the properties of the same names.
    package init(
        sender: MailAddress, recipient: MailAddress, identifier: String, date: String, subject: String, text: String
    ) {
        (self.sender, self.recipient, self.identifier) = (sender, recipient, identifier)
        (self.date, self.subject, self.text) = (date, subject, text)
    }

    /// The mail as a server takes it.
    package var bytes: [UInt8] {
        let headers = [
            "From: \(sender.text)", "To: \(recipient.text)", "Subject: \(Self.header(subject))",
            "Date: \(date)", "Message-ID: <\(identifier)@\(sender.domain)>",
            // Programs that answer on behalf of an absent person do not answer this mail (RFC 3834).
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
        ]
        return Array((headers + ["", Self.quotedPrintable(text)]).joined(separator: "\r\n").utf8)
    }

    /// Returns a text as a part of a header. A text beyond ASCII, and one that is longer than a line, consists of
    /// encoded words, each with whole characters.
    static func header(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard !isPlain || text.utf8.count > longestLine - 10 || text.contains("=?") else { return text }
        // An encoded word has at most 75 characters: 12 of its own, and four for each three bytes. The first line also
        // has the name of the header.
        var words: [String] = []
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            // A line break would end the header.
            let encoded = Array((scalar.value < 0x20 || scalar.value == 0x7F ? " " : String(scalar)).utf8)
            if bytes.count + encoded.count > 39 {
                words.append(base64(bytes))
                bytes.removeAll()
            }
            bytes += encoded
        }
        if !bytes.isEmpty { words.append(base64(bytes)) }
        return words.map { "=?UTF-8?B?\($0)?=" }.joined(separator: "\r\n ")
    }

    /// Returns bytes in base64 (RFC 4648).
    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[value >> (18 - 6 * place) & 63] : "=")
            }
        }
        return text
    }

    /// Returns a text as quoted-printable (RFC 2045) with the line end CR LF.
    static func quotedPrintable(_ text: String) -> String {
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var encoded = ""
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                let isLast = index == bytes.count - 1
                let isLiteral = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || byte == 0x20 && !isLast
                let piece = isLiteral ? String(UnicodeScalar(byte)) : "=" + hexadecimal(byte)
                // A line that goes on ends with "=".
                if encoded.utf8.count + piece.utf8.count > longestLine - (isLast ? 0 : 1) {
                    lines.append(encoded + "=")
                    encoded = ""
                }
                encoded += piece
            }
            lines.append(encoded)
        }
        return lines.joined(separator: "\r\n")
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }
}
