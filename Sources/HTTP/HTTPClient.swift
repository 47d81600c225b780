import COdographCurl

/// A client that sends requests to web services. It waits for the answer, and keeps its connection for the next
/// request.
///
/// It verifies certificates with TLS 1.2 or newer, and follows no redirect: the body could otherwise go to a service
/// that is not configured.
package final class HTTPClient {
    /// The limits of a request.
    package struct Limits: Hashable, Sendable {
        /// The time until there is a connection, seconds.
        package var connectSeconds = 10.0
        /// The time until the end of the answer, seconds.
        package var totalSeconds = 30.0
        /// The part of an answer's body that is received, bytes. The body is not kept.
        package var answerBytes = 65_536

        /// Creates the usual limits.
        package init() {}
    }

    private let handle: OpaquePointer
    private let limits: Limits

    /// - Parameter limits: The limits of each request.
    /// - Throws: ``HTTPFailure`` if this machine has no libcurl.
    package init(limits: Limits = Limits()) throws(HTTPFailure) {
        guard let handle = odograph_http_open() else { throw HTTPFailure.noLibrary }
        self.handle = handle
        self.limits = limits
    }

    deinit { odograph_http_close(handle) }

    /// Sends a JSON document, and waits for the answer.
    /// - Parameters:
    ///   - body: The document.
    ///   - address: The service.
    ///   - caFile: The authorities that may have signed the certificate of the service, PEM; nil for those of the
    ///     system.
    ///   - headers: Further header lines without line ends.
    /// - Returns: The status of the answer, such as 200.
    /// - Throws: ``HTTPFailure`` if there is no answer.
    package func post(
        json body: [UInt8], to address: HTTPAddress, caFile: String? = nil, headers: [String] = []
    ) throws(HTTPFailure) -> Int {
        let lines = ["Content-Type: application/json", "User-Agent: odograph-recorder"] + headers
        guard lines.allSatisfy({ line in !line.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
            throw HTTPFailure("a header line contains a control character")
        }
        var answer = odograph_http_answer()
        withTexts([address.text, caFile] + lines) { texts in
            body.withUnsafeBytes { bytes in
                var request = odograph_http_request()
                request.url = texts[0]
                request.ca_file = texts[1]
                request.headers = UnsafePointer(texts + 2)
                // A null pointer would make libcurl read the body from the standard input.
                request.body = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? texts[0]
                request.body_bytes = bytes.count
                request.connect_milliseconds = Int(limits.connectSeconds * 1000)
                request.total_milliseconds = Int(limits.totalSeconds * 1000)
                request.answer_bytes = limits.answerBytes
                odograph_http_post(handle, &request, &answer)
            }
        }
        guard answer.status > 0 else {
            let reason = withUnsafeBytes(of: answer.reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw HTTPFailure(reason.split(separator: "\n").joined(separator: "; "))
        }
        return answer.status
    }
}

/// Passes texts as C strings, followed by a null pointer, to `body`. Nil is a null pointer.
func withTexts(_ texts: [String?], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Void) {
    var bytes: [CChar] = []
    var offsets: [Int?] = []
    for text in texts {
        offsets.append(text.map { _ in bytes.count })
        guard let text else { continue }
        bytes.append(contentsOf: text.utf8.lazy.map { CChar(bitPattern: $0) })
        bytes.append(0)
    }
    bytes.withUnsafeBufferPointer { buffer in
        var pointers = offsets.map { offset in offset.flatMap { offset in buffer.baseAddress.map { $0 + offset } } }
        pointers.append(nil)
        pointers.withUnsafeMutableBufferPointer { pointers in
            if let start = pointers.baseAddress { body(start) }
        }
    }
}
