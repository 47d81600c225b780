import OdographCompression
import OdographJSON
import OdographWire

/// Reads the records of a batch. Bounds time and memory for damaged and hostile messages.
package enum BatchDecoder {
    /// Returns the records of a message in the order of their numbers.
    /// - Throws: ``BatchError`` if it is not a batch, or exceeds one of ``BatchBounds``.
    package static func records(of message: [UInt8]) throws(BatchError) -> [BatchRecord] {
        let document = message.withUnsafeBytes { bytes in
            DeflateFormat.zlib.expanded(bytes, maximumBytes: BatchBounds.documentBytes)
        }
        guard let document else {
            throw BatchError("not a zlib stream, or longer than \(BatchBounds.documentBytes) bytes when expanded")
        }
        return try records(ofDocument: document)
    }

    /// Returns the records of a message after its expansion.
    package static func records(ofDocument document: [UInt8]) throws(BatchError) -> [BatchRecord] {
        do {
            var scanner = JSONScanner(document)
            let batch = try BatchDocument(&scanner)
            guard try scanner.isAtEnd() else { throw BatchError("a second value follows the document") }
            return try batch.records()
        } catch let error as BatchError {
            throw error
        } catch {
            throw BatchError("\(error)")
        }
    }
}
