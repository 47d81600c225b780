/// Selects one of several senders of a parameter: the first one, until it is silent.
struct SenderSelection {
    /// The silence after which another sender is selected, milliseconds.
    static let silenceMilliseconds: Int64 = 5000

    private var selected: (sender: UInt8, uptimeMilliseconds: Int64)?

    /// Returns whether a value of a sender is used.
    mutating func accepts(sender: UInt8, uptimeMilliseconds uptime: Int64) -> Bool {
        if let selected, selected.sender != sender, uptime - selected.uptimeMilliseconds <= Self.silenceMilliseconds {
            return false
        }
        selected = (sender, uptime)
        return true
    }
}
