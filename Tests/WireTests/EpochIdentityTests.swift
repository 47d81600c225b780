import OdographWire
import Testing

@Suite("The identities of records")
struct EpochIdentityTests {
    @Test("Identities are a function of epoch, seed and number, are distinct and conform to RFC 9562")
    func identities() {
        let epoch = EpochIdentity(epoch: 1, seed: .init(high: 1, low: 2))
        let identities = (1...10_000).map { epoch.identity(forSeq: $0) }
        #expect(Set(identities.map(\.uuid)).count == 10_000)
        #expect(identities.allSatisfy { $0.epoch == 1 } && identities.map(\.seq) == Array(1...10_000))
        #expect(EpochIdentity(epoch: 1, seed: .init(high: 1, low: 2)).identity(forSeq: 1) == identities[0])
        #expect(EpochIdentity(epoch: 1, seed: .init(high: 2, low: 1)).identity(forSeq: 1) != identities[0])
        for identity in identities {
            let characters = Array(identity.uuid.description)
            #expect(characters.count == 36 && characters[14] == "8" && "89ab".contains(characters[19]))
        }
    }

    @Test("The version and the variant replace six bits of a UUID")
    func uuid() {
        #expect(
            RecordUUID(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF).description
                == "01234567-89ab-8def-8123-456789abcdef")
    }
}
