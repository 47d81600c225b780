import OdographVehicleBus

/// A pattern of identifiers that the kernel lets pass.
struct CANFilter: Hashable {
    /// The bits of the identifier under the mask.
    let identifier: UInt32
    /// The bits that are compared.
    let mask: UInt32
    /// Whether the identifiers have 29 bits.
    let isExtended: Bool

    /// The groups of ``ParameterGroup``, from all senders.
    static let j1939 = ParameterGroup.allCases.map {
        CANFilter(identifier: $0.rawValue << 8, mask: ParameterGroup.identifierMask, isExtended: true)
    }
    /// The answers of OBD-II with 11 and 29 bits.
    static let obd = [
        CANFilter(identifier: 0x7E8, mask: 0x7F8, isExtended: false),
        CANFilter(identifier: OBDAnswer.extendedIdentifier, mask: 0x1FFF_FF00, isExtended: true),
    ]
}
