import COdographExpat

/// The owner of an expat parser. It passes elements and text to a ``GPXHandler``.
package final class ExpatParser {
    /// The longest token, bytes. expat keeps an incomplete token in memory and scans it again with every piece.
    private static let maximumTokenBytes = 1 << 20

    /// The place and the reason of a parse error.
    package struct Failure {
        package let line: Int
        package let column: Int
        package let reason: String
        /// Whether the document ends within its content, and is well-formed until there.
        package let isCut: Bool
    }

    private let parser: XML_Parser
    private var fedBytes = 0
    /// The content of the parsed elements.
    package var handler = GPXHandler()

    /// - Returns: nil if there is not enough memory.
    package init?() {
        guard let parser = XML_ParserCreate(nil) else { return nil }
        self.parser = parser
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { ExpatParser.of($0)?.start($1, attributes: $2) },
            { ExpatParser.of($0)?.end($1) })
        XML_SetCharacterDataHandler(parser) { ExpatParser.of($0)?.characters($1, count: $2) }
        // No GPX file has a document type. Without one there are no entities that expand without limit.
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in ExpatParser.of(data)?.refuseDoctype() }
    }

    deinit {
        XML_ParserFree(parser)
    }

    /// Parses a piece of the document.
    /// - Returns: The error if the document is malformed or refused.
    package func feed(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Failure? {
        let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        fedBytes += bytes.count
        let status = XML_Parse(parser, base, Int32(clamping: bytes.count), isLast ? 1 : 0)
        if let refusal = handler.refusal { return failure(refusal) }
        guard status == XML_STATUS_OK else {
            let code = XML_GetErrorCode(parser)
            return failure(
                String(cString: XML_ErrorString(code)), isCut: isLast && Self.cutCodes.contains(code.rawValue))
        }
        guard isLast || fedBytes - Int(odograph_expat_byte_index(parser)) <= Self.maximumTokenBytes else {
            return failure("a tag or a text is longer than 1 MiB")
        }
        return nil
    }

    /// The errors that only the end of the document causes.
    private static let cutCodes = [
        XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR, XML_ERROR_UNCLOSED_CDATA_SECTION,
    ].map(\.rawValue)

    private func failure(_ reason: String, isCut: Bool = false) -> Failure {
        Failure(
            line: Int(odograph_expat_line(parser)), column: Int(odograph_expat_column(parser)) + 1,
            reason: reason, isCut: isCut)
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> ExpatParser? {
        data.map { Unmanaged<ExpatParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private func start(_ name: UnsafePointer<CChar>?, attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        handler.start(Self.localName(name), line: Int(odograph_expat_line(parser))) { wanted in
            // Names and values alternate; the list ends with a null pointer.
            var index = 0
            while let attributes, let name = attributes[index], let value = attributes[index + 1] {
                if Self.localName(name) == wanted { return String(cString: value) }
                index += 2
            }
            return nil
        }
        stopIfRefused()
    }

    private func end(_ name: UnsafePointer<CChar>?) {
        handler.end(Self.localName(name))
    }

    private func characters(_ text: UnsafePointer<CChar>?, count: Int32) {
        handler.characters(
            UnsafeBufferPointer(start: text, count: Int(count)).lazy.map { UInt8(truncatingIfNeeded: $0) })
    }

    private func refuseDoctype() {
        handler.refuse("has a <!DOCTYPE>, which GPX does not need and which is not safe; remove it")
        stopIfRefused()
    }

    private func stopIfRefused() {
        if handler.refusal != nil { XML_StopParser(parser, 0) }
    }

    private static func localName(_ name: UnsafePointer<CChar>?) -> String {
        guard let name else { return "" }
        let text = String(cString: name)
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return text }
        return String(text[text.utf8.index(after: colon)...])
    }
}
