import Odograph
import Link

extension BrokerConfiguration {
    /// A broker at an address as it is written.
    /// - Parameters:
    ///   - address: `mqtts://broker.example`.
    ///   - caFile: the authority that signed its certificate, PEM; nil: one that the system trusts.
    ///   - certificateFile: what the broker is to know the operator by, PEM; nil: nothing.
    ///   - keyFile: its key, PEM.
    /// - Throws: `Failure` where it is no address, or half of a pair is missing.
    public init(
        address: String, caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
    ) throws(ExitError) {
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw ExitError(.usage, "a certificate and its key go together; give both")
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
