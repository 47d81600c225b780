import OdographHTTP
import OdographSettings

extension MailSettings {
    /// Reads the object `mail`.
    /// - Parameter paths: Resolves the paths of files.
    /// - Returns: Nil if there is no server, or a key is wrong. The reader has the mistakes.
    init?(_ reader: inout SettingsReader, paths: PathResolver) {
        let text = reader.string("url")
        let isEncrypted = reader.bool("starttls", default: true)
        let caFile = reader.string("ca_file")
        let (user, passwordFile) = (reader.string("username"), reader.string("password_file"))
        let (from, link) = (reader.string("from"), reader.string("link"))
        reader.forbid("password", "this file must not contain a password; write it into a file and set password_file")
        guard let text else { return nil }
        guard let server = MailServer(text) else {
            reader.reject("url", "must be smtp://HOST[:PORT] or smtps://HOST[:PORT], without a user name")
            return nil
        }
        if !isEncrypted, server.isEncryptedFromBeginning || !server.isLoopback {
            reader.reject("starttls", "false is only for smtp:// to this machine: the network could read the mails")
        }
        if (user == nil) != (passwordFile == nil) {
            reader.reject(user == nil ? "username" : "password_file", "missing; a login needs both keys")
        }
        let template = link.flatMap { LinkTemplate($0) }
        if link != nil, template == nil {
            let places = LinkTemplate.Place.allCases.map(\.text).joined(separator: ", ")
            reader.reject("link", "must be an address of http:// or https://; the places in it are \(places)")
        }
        guard let sender = from.flatMap({ MailAddress($0) }) else {
            reader.reject("from", "write the address of the sender, such as \"fleet@example.org\"")
            return nil
        }
        var login: Login?
        if let user, let passwordFile { login = Login(user: user, passwordFile: paths.resolve(passwordFile)) }
        self.init(
            server: server, isEncrypted: isEncrypted, caFile: caFile.map(paths.resolve), login: login, sender: sender,
            link: template)
    }
}
