/// The parameter groups of SAE J1939-71 that are read. The FMS standard of the truck makers uses the same groups.
///
/// All of them are broadcast (PDU2), so the number contains the group extension.
package enum ParameterGroup: UInt32, Hashable, Sendable, CaseIterable {
    /// Electronic Engine Controller 1: speed of the engine (SPN 190).
    case engineController = 61444
    /// High Resolution Vehicle Distance: total distance in steps of 5 m (SPN 917).
    case highResolutionDistance = 65217
    /// Vehicle Distance: total distance in steps of 125 m (SPN 245).
    case distance = 65248
    /// Cruise Control/Vehicle Speed: speed of the wheels (SPN 84).
    case vehicleSpeed = 65265
    /// Vehicle Electrical Power 1: voltage of the battery (SPN 168) and behind the key switch (SPN 158).
    case electricalPower = 65271
    /// Dash Display: level of the fuel (SPN 96).
    case dashDisplay = 65276

    /// The bits of an identifier that are the number of the group.
    package static let identifierMask: UInt32 = 0x03FF_FF00

    /// The group of an identifier of 29 bits; nil for other groups.
    init?(identifier: UInt32) {
        self.init(rawValue: (identifier & Self.identifierMask) >> 8)
    }

    /// The identifier with a priority and the address of the sender.
    func identifier(priority: UInt32 = 6, sender: UInt8) -> UInt32 {
        priority << 26 | rawValue << 8 | UInt32(sender)
    }
}
