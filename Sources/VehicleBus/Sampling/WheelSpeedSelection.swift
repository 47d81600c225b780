/// Selects one of several senders of a wheel speed.
///
/// The engine, the brakes and the instruments may all send the same group. Their values differ a little, so a change of
/// the sender would look like a change of the speed. The selected sender stays until it is silent or not trusted. Then
/// the trusted one with the lowest address is selected. Its first speed must be possible after the last one of the
/// other.
struct WheelSpeedSelection {
    /// The most senders that are observed. A bus with more senders of one group has a fault.
    static let maximumSenders = 8

    private var monitors: [UInt8: WheelSpeedMonitor] = [:]
    private var selected: UInt8?
    /// The latest speed that was used, m/s, and its uptime, milliseconds.
    private var used: (speed: Double, uptimeMilliseconds: Int64)?

    /// Handles a speed, m/s.
    /// - Returns: The speed, if it is that of the selected sender and can be used.
    mutating func receive(speed: Double, from sender: UInt8, uptimeMilliseconds uptime: Int64) -> Double? {
        if monitors[sender] != nil {
            monitors[sender]?.receive(speed: speed, uptimeMilliseconds: uptime)
        } else {
            if monitors.count >= Self.maximumSenders { removeSilent(at: uptime) }
            guard monitors.count < Self.maximumSenders else { return nil }
            monitors[sender] = WheelSpeedMonitor(speed: speed, uptimeMilliseconds: uptime)
        }
        if selected.map({ isUsable($0, at: uptime) }) != true {
            selected = monitors.keys.filter { isUsable($0, at: uptime) && isPossible($0, at: uptime) }.min()
        }
        guard selected == sender else { return nil }
        used = (speed, uptime)
        return speed
    }

    /// Compares all senders with the vehicle's distance counter, metres.
    mutating func receive(counterMeters: Double, resolutionMeters: Double, uptimeMilliseconds uptime: Int64) {
        for sender in monitors.keys {
            monitors[sender]?.receive(
                counterMeters: counterMeters, resolutionMeters: resolutionMeters, uptimeMilliseconds: uptime)
        }
    }

    /// Returns a sentence about the senders whose speeds are known to be false and that are still sending; nil if there
    /// are none.
    /// - Parameter name: The name of the source.
    func doubtText(of name: String, at uptime: Int64) -> String? {
        let senders = monitors.sorted { $0.key < $1.key }.compactMap { sender, monitor -> String? in
            guard let doubt = monitor.doubt, !monitor.isSilent(at: uptime) else { return nil }
            let reason =
                switch doubt {
                case .jump: "changes faster than a vehicle can"
                case .counter: "contradicts the vehicle's distance counter"
                }
            return "the wheel speed from address \(sender) \(reason)"
        }
        return senders.isEmpty ? nil : "\(name): \(senders.joined(separator: "; ")); it is not used"
    }

    private func isUsable(_ sender: UInt8, at uptime: Int64) -> Bool {
        guard let monitor = monitors[sender] else { return false }
        return monitor.isTrusted && !monitor.isSilent(at: uptime)
    }

    /// Returns whether the latest speed of a sender can follow the one that was used.
    private func isPossible(_ sender: UInt8, at uptime: Int64) -> Bool {
        guard let used, uptime - used.uptimeMilliseconds <= WheelSpeedMonitor.silenceMilliseconds,
            let monitor = monitors[sender]
        else { return true }
        return WheelSpeedMonitor.canChange(
            from: used.speed, to: monitor.speed, milliseconds: monitor.uptimeMilliseconds - used.uptimeMilliseconds)
    }

    private mutating func removeSilent(at uptime: Int64) {
        monitors = monitors.filter { !$0.value.isSilent(at: uptime) }
    }
}
