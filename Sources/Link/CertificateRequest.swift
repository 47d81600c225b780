import COdographTLS

/// The making of a request for a client certificate, and the check of the answer. All texts are PEM.
package enum CertificateRequest {
    /// Enough for a key on the curve P-256, for a request with a name of 64 characters, and for several authorities.
    private static let room = 16_384

    /// Returns a new private key on the curve P-256; nil if this process has no OpenSSL.
    package static func newKey() -> [UInt8]? {
        bytes { odograph_tls_make_key($0, Self.room) }
    }

    /// Returns a request (PKCS#10) with a common name, signed with a private key.
    /// - Returns: nil if the key cannot be used, or this process has no OpenSSL.
    package static func make(name: String, key: [UInt8]) -> [UInt8]? {
        key.withUnsafeBytes { key in
            bytes {
                odograph_tls_make_request(
                    key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count, name, $0, Self.room)
            }
        }
    }

    /// Returns why a client's certificate is not valid now, or is from none of the authorities; nil if it is good.
    package static func problem(of certificate: [UInt8], authorities: [UInt8]) -> String? {
        certificate.withUnsafeBytes { certificate in
            authorities.withUnsafeBytes { authorities in
                odograph_tls_check(
                    certificate.baseAddress?.assumingMemoryBound(to: CChar.self), certificate.count,
                    authorities.baseAddress?.assumingMemoryBound(to: CChar.self), authorities.count
                ).map { String(cString: $0) }
            }
        }
    }

    /// Returns the authorities in a text of certificates that a trusted authority introduces: it has signed a second
    /// certificate in the text, of the same name and key. nil if there is none.
    package static func introducedAuthorities(in certificates: [UInt8], trusted: [UInt8]) -> [UInt8]? {
        certificates.withUnsafeBytes { certificates in
            trusted.withUnsafeBytes { trusted in
                bytes {
                    odograph_tls_introduced(
                        certificates.baseAddress?.assumingMemoryBound(to: CChar.self), certificates.count,
                        trusted.baseAddress?.assumingMemoryBound(to: CChar.self), trusted.count, $0, Self.room)
                }
            }
        }
    }

    private static func bytes(_ write: (UnsafeMutablePointer<CChar>) -> Int) -> [UInt8]? {
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer -> [UInt8] in
            guard let start = buffer.baseAddress else { return [] }
            return buffer.prefix(write(start)).map(UInt8.init(bitPattern:))
        }
        return text.isEmpty ? nil : text
    }
}
