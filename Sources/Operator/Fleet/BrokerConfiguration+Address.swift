import Odograph
import OdographLink
import OdographTerminal

extension BrokerConfiguration {
    /// Creates the configuration of a broker from an address.
    /// - Parameters:
    ///   - address: the URL, such as `mqtts://broker.example`.
    ///   - caFile: the authority that signed the broker's certificate, PEM; nil: the system's authorities.
    ///   - certificateFile: the client certificate, PEM; nil: none.
    ///   - keyFile: the key of the client certificate, PEM.
    /// - Throws: `ExitError` if the address is invalid, or if only one of certificate and key is given.
    public init(
        address: String, caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
    ) throws(ExitError) {
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw ExitError(.usage, "a client certificate needs its private key; give both")
        }
        do {
            self.init(url: try BrokerURL(address))
        } catch {
            throw ExitError(.usage, "\(error)")
        }
        tls.caFile = caFile
        tls.certificateFile = certificateFile
        tls.keyFile = keyFile
    }
}
