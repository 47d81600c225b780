/// The address of a mailbox, such as `dispatch@example.org`: no name before it, and no quotes (RFC 5321, `Mailbox`).
package struct MailAddress: Hashable, Sendable {
    /// The address.
    package let text: String
    /// The part after the `@`.
    package let domain: String

    /// Creates an address; nil if the text is not one. Letters beyond ASCII need an extension that few servers have.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, (1...64).contains(parts[0].utf8.count) else { return nil }
        func isRight(_ part: Substring, _ others: String) -> Bool {
            part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
                !atom.isEmpty && atom.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || others.contains($0)) }
            }
        }
        guard isRight(parts[0], "!#$%&'*+-/=?^_`{|}~"), isRight(parts[1], "-") else { return nil }
        (self.text, domain) = (text, String(parts[1]))
    }
}
