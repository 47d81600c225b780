import OdographJSON
import OdographStore
import OdographWire

extension GivenUpCodec {
    /// Returns the conversion to the JSON of the channel `given_up`.
    package static func json(deviceID: String) -> GivenUpCodec {
        GivenUpCodec { identity, now, numbers in
            let ranges = numbers.map {
                GivenUpRange(
                    epoch: $0.epoch, from: $0.numbers.lowerBound, to: $0.numbers.upperBound,
                    reason: LedgerRange.Reason(rawValue: $0.reason.word))
            }
            return JSONCoder.payload(
                of: GivenUpMessage(
                    deviceID: deviceID,
                    givenUp: GivenUpRecord(
                        uuid: identity.uuid.description, epoch: identity.epoch, seq: identity.seq, timestamp: now,
                        ranges: ranges)))
        } decode: { payload in
            guard let message = try? JSONCoder.decode(GivenUpMessage.self, from: payload) else { return [] }
            return message.givenUp.ranges.filter { 1...$0.to ~= $0.from }.map {
                GivenUpNumbers(
                    epoch: $0.epoch, numbers: $0.from...$0.to,
                    reason: GivenUpNumbers.Reason(word: $0.reason.rawValue))
            }
        }
    }
}
