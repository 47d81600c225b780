import Glibc
import OdographSettings

/// The files of a renewed certificate. They are beside the database, because the service may write nowhere else.
///
/// A certificate and its key are in one file, so that one rename replaces both. Each file is replaced atomically, and
/// only its owner can read it.
package struct CertificateFiles: Sendable {
    /// The new key and the request for a certificate, from the request until the new certificate is in use.
    package let pending: String
    /// The new certificate and its key, until the broker has accepted them once.
    package let candidate: String
    /// The newest certificate that the broker has accepted, and its key.
    package let renewed: String
    /// The authorities that came with a certificate.
    package let introduced: String
    /// The authorities of the configuration and those that came with a certificate.
    package let authorities: String

    private static let maximumBytes = 256 << 10

    /// - Parameter storePath: The path of the database.
    package init(besideStore storePath: String) {
        pending = storePath + "-certificate-request"
        candidate = storePath + "-certificate-candidate"
        renewed = storePath + "-certificate"
        introduced = storePath + "-authorities-introduced"
        authorities = storePath + "-authorities"
    }

    /// Returns the bytes of a file; nil if it cannot be read.
    package static func bytes(of path: String) -> [UInt8]? {
        try? FileReader.read(path, atMost: maximumBytes).get()
    }

    /// Replaces a file.
    /// - Throws: An error with the path and the reason.
    package static func write(_ parts: [[UInt8]], to path: String) throws {
        try AtomicFile.write(parts, to: path)
    }

    /// Puts the candidate in the place of the renewed certificate.
    /// - Returns: Whether it is there.
    func promoteCandidate() -> Bool { rename(candidate, renewed) == 0 }

    func removeCandidate() { unlink(candidate) }

    func removePending() { unlink(pending) }

    /// Removes what the write of an interrupted run has left.
    func removeLeftovers() {
        for path in [pending, candidate, renewed, introduced, authorities] { unlink(path + ".new") }
    }
}
