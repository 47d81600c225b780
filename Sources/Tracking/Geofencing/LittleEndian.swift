/// Integers in bytes, the lowest byte first.
extension RangeReplaceableCollection where Element == UInt8 {
    mutating func append(integer value: UInt64, bytes count: UInt64) {
        for byte in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
}

extension RandomAccessCollection where Element == UInt8, Index == Int {
    /// Reads `count` bytes, 1 to 8, which must exist.
    @inline(__always)
    func integer(at place: Int, bytes count: Int) -> UInt64 {
        var value: UInt64 = 0
        for byte in 0..<count { value |= UInt64(self[place + byte]) << UInt64(8 * byte) }
        return value
    }
}
