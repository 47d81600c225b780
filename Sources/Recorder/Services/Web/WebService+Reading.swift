import OdographHTTP
import OdographSettings

extension WebService {
    /// Reads a web service.
    /// - Parameters:
    ///   - key: The key of its address.
    ///   - paths: Resolves the paths of files.
    /// - Returns: Nil if the key is absent or wrong. The reader has the mistakes.
    init?(_ reader: inout SettingsReader, key: String, paths: PathResolver) {
        let text = reader.string(key)
        let (caFile, tokenFile) = (reader.string("ca_file"), reader.string("token_file"))
        let allowsInsecure = reader.bool("allow_insecure", default: false)
        guard let text else { return nil }
        guard let address = HTTPAddress(text) else {
            reader.reject(
                key, "must be http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH, without a user name and a password")
            return nil
        }
        if !address.isSecure, !address.isLoopback, !allowsInsecure {
            reader.reject(key, "the network could read the positions; use https://, or set allow_insecure: true")
        }
        self.init(address, caFile: caFile.map(paths.resolve), tokenFile: tokenFile.map(paths.resolve))
    }
}
