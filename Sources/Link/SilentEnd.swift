/// The end of a connection after a silence.
struct SilentEnd: Hashable, Sendable {
    /// How soon a new connection must follow, in milliseconds. Only then the network was there, so that the silence and
    /// not a loss of coverage ended the connection.
    private static let longestGapMilliseconds: Int64 = 30_000

    var atMilliseconds: Int64
    var silenceMilliseconds: Int64
    /// The address of this machine on that connection.
    var localAddress: [UInt8]

    /// Whether a new connection shows that the network was there, and is the same.
    func isConfirmed(atMilliseconds now: Int64, localAddress: [UInt8]) -> Bool {
        now - atMilliseconds <= Self.longestGapMilliseconds && localAddress == self.localAddress
    }
}
