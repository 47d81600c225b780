import Glibc

/// The facts about a certificate that decide whether it can be used.
package struct TLSCertificate: Sendable, Hashable {
    /// The common name of the subject; nil if it has none.
    package let commonName: String?
    /// The first second of its validity, since 1970-01-01T00:00:00Z.
    package let validFromSecond: Int64
    /// The last second of its validity, since 1970-01-01T00:00:00Z.
    package let validUntilSecond: Int64

    /// Reads the certificates of a PEM file, in their order.
    /// - Returns: nil if this process has no OpenSSL.
    package static func all(inPEM bytes: [UInt8]) -> [TLSCertificate]? {
        OpenSSL.shared?.certificates(inPEM: bytes)
    }

    /// Whether the first certificate of a PEM file belongs to a private key.
    package enum KeyFit: Sendable {
        case fits, differs
        /// The key cannot be read: it is damaged, or has a passphrase.
        case unreadableKey
    }

    /// Compares a certificate with a private key, both PEM.
    /// - Returns: nil if there is no certificate, or this process has no OpenSSL.
    package static func fit(ofPEM certificate: [UInt8], key: [UInt8]) -> KeyFit? {
        OpenSSL.shared?.fit(ofPEM: certificate, key: key)
    }
}

/// The functions of OpenSSL for certificates. libmosquitto has loaded the library; this module does not link it itself.
private struct OpenSSL {
    typealias Pointer = UnsafeMutableRawPointer
    typealias Passphrase = @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, Pointer?) -> Int32

    static let shared = OpenSSL()

    private let newBuffer: @convention(c) (UnsafeRawPointer?, Int32) -> Pointer?
    private let freeBuffer: @convention(c) (Pointer?) -> Int32
    private let readCertificate: @convention(c) (Pointer?, Pointer?, Passphrase?, Pointer?) -> Pointer?
    private let freeCertificate: @convention(c) (Pointer?) -> Void
    private let validFrom: @convention(c) (Pointer?) -> Pointer?
    private let validUntil: @convention(c) (Pointer?) -> Pointer?
    private let calendarTime: @convention(c) (Pointer?, UnsafeMutablePointer<tm>?) -> Int32
    private let subject: @convention(c) (Pointer?) -> Pointer?
    private let nameText: @convention(c) (Pointer?, Int32, UnsafeMutablePointer<CChar>?, Int32) -> Int32
    private let readKey: @convention(c) (Pointer?, Pointer?, Passphrase?, Pointer?) -> Pointer?
    private let freeKey: @convention(c) (Pointer?) -> Void
    private let checkKey: @convention(c) (Pointer?, Pointer?) -> Int32
    private let clearErrors: @convention(c) () -> Void

    /// `NID_commonName` of OpenSSL's obj_mac.h.
    private static let commonName: Int32 = 13
    /// OpenSSL would ask for a passphrase on the terminal.
    private static let noPassphrase: Passphrase = { _, _, _, _ in -1 }

    private init?() {
        func function<Function>(_ name: String) -> Function? {
            dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard let newBuffer: @convention(c) (UnsafeRawPointer?, Int32) -> Pointer? = function("BIO_new_mem_buf"),
            let freeBuffer: @convention(c) (Pointer?) -> Int32 = function("BIO_free"),
            let readCertificate: @convention(c) (Pointer?, Pointer?, Passphrase?, Pointer?) -> Pointer? =
                function("PEM_read_bio_X509"),
            let freeCertificate: @convention(c) (Pointer?) -> Void = function("X509_free"),
            let validFrom: @convention(c) (Pointer?) -> Pointer? = function("X509_get0_notBefore"),
            let validUntil: @convention(c) (Pointer?) -> Pointer? = function("X509_get0_notAfter"),
            let calendarTime: @convention(c) (Pointer?, UnsafeMutablePointer<tm>?) -> Int32 =
                function("ASN1_TIME_to_tm"),
            let subject: @convention(c) (Pointer?) -> Pointer? = function("X509_get_subject_name"),
            let nameText: @convention(c) (Pointer?, Int32, UnsafeMutablePointer<CChar>?, Int32) -> Int32 =
                function("X509_NAME_get_text_by_NID"),
            let readKey: @convention(c) (Pointer?, Pointer?, Passphrase?, Pointer?) -> Pointer? =
                function("PEM_read_bio_PrivateKey"),
            let freeKey: @convention(c) (Pointer?) -> Void = function("EVP_PKEY_free"),
            let checkKey: @convention(c) (Pointer?, Pointer?) -> Int32 = function("X509_check_private_key"),
            let clearErrors: @convention(c) () -> Void = function("ERR_clear_error")
        else { return nil }
        self.newBuffer = newBuffer
        self.freeBuffer = freeBuffer
        self.readCertificate = readCertificate
        self.freeCertificate = freeCertificate
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.calendarTime = calendarTime
        self.subject = subject
        self.nameText = nameText
        self.readKey = readKey
        self.freeKey = freeKey
        self.checkKey = checkKey
        self.clearErrors = clearErrors
    }

    func certificates(inPEM bytes: [UInt8]) -> [TLSCertificate] {
        withBuffer(bytes) { buffer in
            var list: [TLSCertificate] = []
            while let certificate = readCertificate(buffer, nil, Self.noPassphrase, nil) {
                defer { freeCertificate(certificate) }
                guard let from = second(validFrom(certificate)), let until = second(validUntil(certificate)) else {
                    continue
                }
                list.append(
                    TLSCertificate(
                        commonName: commonName(of: certificate), validFromSecond: from, validUntilSecond: until))
            }
            return list
        }
    }

    func fit(ofPEM certificate: [UInt8], key: [UInt8]) -> TLSCertificate.KeyFit? {
        withBuffer(certificate) { certificateBuffer in
            guard let certificate = readCertificate(certificateBuffer, nil, Self.noPassphrase, nil) else { return nil }
            defer { freeCertificate(certificate) }
            return withBuffer(key) { keyBuffer in
                guard let key = readKey(keyBuffer, nil, Self.noPassphrase, nil) else { return .unreadableKey }
                defer { freeKey(key) }
                return checkKey(certificate, key) == 1 ? .fits : .differs
            }
        }
    }

    private func withBuffer<Result>(_ bytes: [UInt8], _ body: (Pointer?) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            let buffer = newBuffer(bytes.baseAddress, Int32(clamping: bytes.count))
            defer {
                _ = freeBuffer(buffer)
                // An error that stays would be reported as one of the next TLS connection of this thread.
                clearErrors()
            }
            return body(buffer)
        }
    }

    private func second(_ time: Pointer?) -> Int64? {
        var calendar = tm()
        guard let time, calendarTime(time, &calendar) == 1 else { return nil }
        return Int64(timegm(&calendar))
    }

    private func commonName(of certificate: Pointer) -> String? {
        var text = [CChar](repeating: 0, count: 256)
        guard nameText(subject(certificate), Self.commonName, &text, Int32(text.count)) >= 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
