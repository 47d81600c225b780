import OdographCompression
import OdographJSON
import OdographStore
import OdographWire

/// Reads the records of a batch. Bounds time and memory for damaged and hostile messages.
package enum BatchDecoder {
    /// The largest size of a message after its expansion, bytes.
    package static let maximumDocumentBytes = 4 << 20
    /// The largest number of records in a message.
    package static let maximumRecords = 10_000
    /// The largest size of all payloads of a message, bytes.
    package static let maximumPayloadBytes = 16 << 20

    /// Returns the records of a message in the order of their numbers.
    /// - Throws: ``BatchError`` if it is not a batch, or larger than a limit.
    package static func records(of message: [UInt8]) throws(BatchError) -> [BatchRecord] {
        let document = message.withUnsafeBytes { bytes in
            DeflateFormat.zlib.expanded(bytes, maximumBytes: maximumDocumentBytes)
        }
        guard let document else {
            throw BatchError("not a zlib stream, or longer than \(maximumDocumentBytes) bytes when expanded")
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
