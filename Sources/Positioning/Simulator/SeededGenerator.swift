import Glibc
import OdographGeodesy

/// The SplitMix64 generator. The same seed gives the same numbers on every machine. Source: Steele, Lea and Flood,
/// "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        defer { state &+= 0x9E37_79B9_7F4A_7C15 }
        return splitMix64(state)
    }

    /// Returns a uniformly distributed number in a range.
    mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        let fraction = Double(next() >> 11) * 0x1p-53
        return range.lowerBound + fraction * (range.upperBound - range.lowerBound)
    }

    mutating func bernoulli(_ probability: Double) -> Bool {
        uniform(0...1) < probability
    }

    /// Returns a normally distributed number, mean 0 and standard deviation 1 (Box and Muller, 1958).
    mutating func gaussian() -> Double {
        let radius = (-2 * log(1 - uniform(0...0.999_999_999))).squareRoot()
        return radius * cos(2 * .pi * uniform(0...1))
    }
}
