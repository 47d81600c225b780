import Glibc

/// A seeded random number generator, so that a failed test can be repeated.
///
/// Source: Sebastiano Vigna, `splitmix64.c`, public domain.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// - Parameter seed: The same seed gives the same numbers.
    public init(seed: UInt64) { state = seed }

    /// Returns the next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
    /// Returns a number of the normal distribution with mean 0 and deviation 1 (Box and Muller 1958).
    public mutating func normal() -> Double {
        let u = Double.random(in: 1e-12..<1, using: &self)
        return (-2 * log(u)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
