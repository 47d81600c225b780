import OdographJSON
import OdographStore

extension JSONCoder {
    /// The compact JSON of a value that encodes as an object, with its keys in order. It is never empty, and a number
    /// that is not finite is `null`: what the broker retains or a consumer expects must not fail to be encoded.
    static func payload(of value: some Encodable) -> RecordPayload {
        RecordPayload(first: UInt8(ascii: "{"), rest: objectTail(of: value))
    }
}
