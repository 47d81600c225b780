import CivilTime
import Glibc

extension GPSDReport {
    /// Parses one line of gpsd.
    ///
    /// Of several members with one name, the last counts. A member with a value of a wrong type is treated as absent.
    /// - Returns: nil if the line is not exactly one well-formed JSON object.
    public init?(line: UnsafeBufferPointer<UInt8>) {
        var scanner = JSONScanner(line)
        var members = ReportMembers()
        guard members.read(&scanner, isInner: false), scanner.isAtEnd else { return nil }
        self = members.report
    }

    /// Parses one line of gpsd.
    /// - Returns: nil if the line is not exactly one well-formed JSON object.
    public init?(line: String) {
        var copy = line
        guard let report = copy.withUTF8({ GPSDReport(line: $0) }) else { return nil }
        self = report
    }
}

/// The members of any report, read in one pass, because `class` need not come first.
private struct ReportMembers {
    enum Class {
        case tpv, poll, version, devices, device, watch, error
        case other(String)
    }

    var kind = Class.other("")
    var tpv = TPVReport()
    var device = DeviceReport()
    var devices: [DeviceReport] = []
    var polled: [TPVReport] = []
    var release: String?
    var message: String?
    var isEnabled = false

    var report: GPSDReport {
        switch kind {
        case .tpv: .tpv(tpv)
        case .poll: .poll(polled)
        case .version: .version(release: release)
        case .devices: .devices(devices)
        case .device: .device(device)
        case .watch: .watch(isEnabled: isEnabled)
        case .error: .error(message: message)
        case .other(let name): .other(name)
        }
    }

    /// Reads an object.
    /// - Parameter isInner: Whether the object is an element of a list. The lists of such an object are ignored.
    mutating func read(_ scanner: inout JSONScanner, isInner: Bool) -> Bool {
        guard scanner.take("{") else { return false }
        if scanner.take("}") { return true }
        repeat {
            guard let name = scanner.string(), scanner.take(":") else { return false }
            let member = scanner.withBytes(of: name) { Member($0) }
            guard readValue(of: member, &scanner, isInner: isInner) else { return false }
        } while scanner.take(",")
        return scanner.take("}")
    }

    private mutating func readValue(of member: Member?, _ scanner: inout JSONScanner, isInner: Bool) -> Bool {
        switch member {
        case .latitude: scanner.read(&tpv.latitudeDegrees)
        case .longitude: scanner.read(&tpv.longitudeDegrees)
        case .altitudeHAE: scanner.read(&tpv.altitudeHAEMeters)
        case .altitudeMSL: scanner.read(&tpv.altitudeMSLMeters)
        case .altitude: scanner.read(&tpv.altitudeMeters)
        case .eph: scanner.read(&tpv.ephMeters)
        case .epx: scanner.read(&tpv.epxMeters)
        case .epy: scanner.read(&tpv.epyMeters)
        case .eps: scanner.read(&tpv.epsMetersPerSecond)
        case .speed: scanner.read(&tpv.speedMetersPerSecond)
        case .track: scanner.read(&tpv.trackDegrees)
        case .mode: scanner.read(&tpv.mode)
        case .time: readTime(&scanner)
        case .device: scanner.read(&tpv.device)
        case .cycle: scanner.read(&device.cycleSeconds)
        case .shortestCycle: scanner.read(&device.minimumCycleSeconds)
        case .path: scanner.read(&device.path)
        case .release: scanner.read(&release)
        case .message: scanner.read(&message)
        case .class: readClass(&scanner)
        case .activated: readActivated(&scanner)
        case .enable: readEnable(&scanner)
        case .devices where !isInner: readDevices(&scanner)
        case .polled where !isInner: readPolled(&scanner)
        case .devices, .polled, nil: scanner.skipValue()
        }
    }

    private mutating func readClass(_ scanner: inout JSONScanner) -> Bool {
        kind = .other("")
        guard scanner.next == UInt8(ascii: "\"") else { return scanner.skipValue() }
        guard let token = scanner.string() else { return false }
        kind = scanner.withBytes(of: token) { name in
            if name.matches("TPV") { return .tpv }
            if name.matches("POLL") { return .poll }
            if name.matches("VERSION") { return .version }
            if name.matches("DEVICES") { return .devices }
            if name.matches("DEVICE") { return .device }
            if name.matches("WATCH") { return .watch }
            if name.matches("ERROR") { return .error }
            return .other(String(decoding: name, as: UTF8.self))
        }
        return true
    }

    private mutating func readTime(_ scanner: inout JSONScanner) -> Bool {
        tpv.time = nil
        guard scanner.next == UInt8(ascii: "\"") else { return scanner.skipValue() }
        guard let token = scanner.string() else { return false }
        tpv.time = scanner.withBytes(of: token) { Timestamp(iso8601Bytes: $0) }
        return true
    }

    /// Reads a time in ISO-8601 or (before release 2.96) seconds. 0 or no value means that the receiver is gone.
    private mutating func readActivated(_ scanner: inout JSONScanner) -> Bool {
        device.isActivated = false
        guard let byte = scanner.next else { return false }
        if byte == UInt8(ascii: "\"") {
            guard let token = scanner.string() else { return false }
            device.isActivated = !token.range.isEmpty
            return true
        }
        guard byte == UInt8(ascii: "-") || (48...57).contains(byte) else { return scanner.skipValue() }
        guard let seconds = scanner.number() else { return false }
        device.isActivated = seconds > 0
        return true
    }

    private mutating func readEnable(_ scanner: inout JSONScanner) -> Bool {
        isEnabled = scanner.next == UInt8(ascii: "t")
        return scanner.skipValue()
    }

    private mutating func readDevices(_ scanner: inout JSONScanner) -> Bool {
        devices = []
        return readList(&scanner) { devices.append($0.device) }
    }

    private mutating func readPolled(_ scanner: inout JSONScanner) -> Bool {
        polled = []
        return readList(&scanner) { polled.append($0.tpv) }
    }

    private func readList(_ scanner: inout JSONScanner, take: (ReportMembers) -> Void) -> Bool {
        guard scanner.next == UInt8(ascii: "[") else { return scanner.skipValue() }
        guard scanner.take("[") else { return false }
        if scanner.take("]") { return true }
        repeat {
            if scanner.next == UInt8(ascii: "{") {
                var inner = ReportMembers()
                guard inner.read(&scanner, isInner: true) else { return false }
                take(inner)
            } else if !scanner.skipValue() {
                return false
            }
        } while scanner.take(",")
        return scanner.take("]")
    }
}

private enum Member {
    case `class`, device, mode, time, latitude, longitude, altitudeHAE, altitudeMSL, altitude, eph, epx, epy, eps, speed
    case track, path, activated, cycle, shortestCycle, devices, polled, release, message, enable

    init?(_ name: UnsafeBufferPointer<UInt8>) {
        guard let member = name.count <= 4 ? Member(short: name) : Member(long: name) else { return nil }
        self = member
    }

    private init?(short name: UnsafeBufferPointer<UInt8>) {
        if name.matches("lat") {
            self = .latitude
        } else if name.matches("lon") {
            self = .longitude
        } else if name.matches("mode") {
            self = .mode
        } else if name.matches("time") {
            self = .time
        } else if name.matches("alt") {
            self = .altitude
        } else if name.matches("eph") {
            self = .eph
        } else if name.matches("epx") {
            self = .epx
        } else if name.matches("epy") {
            self = .epy
        } else if name.matches("eps") {
            self = .eps
        } else if name.matches("path") {
            self = .path
        } else if name.matches("tpv") {
            self = .polled
        } else {
            return nil
        }
    }

    private init?(long name: UnsafeBufferPointer<UInt8>) {
        if name.matches("class") {
            self = .class
        } else if name.matches("device") {
            self = .device
        } else if name.matches("speed") {
            self = .speed
        } else if name.matches("track") {
            self = .track
        } else if name.matches("altHAE") {
            self = .altitudeHAE
        } else if name.matches("altMSL") {
            self = .altitudeMSL
        } else if name.matches("activated") {
            self = .activated
        } else if name.matches("cycle") {
            self = .cycle
        } else if name.matches("mincycle") {
            self = .shortestCycle
        } else if name.matches("devices") {
            self = .devices
        } else if name.matches("release") {
            self = .release
        } else if name.matches("message") {
            self = .message
        } else if name.matches("enable") {
            self = .enable
        } else {
            return nil
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func matches(_ word: StaticString) -> Bool {
        guard let baseAddress, count == word.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress, word.utf8Start, count) == 0
    }
}

extension JSONScanner {
    /// Reads a number. Any other value is skipped, and the result is nil.
    fileprivate mutating func read(_ place: inout Double?) -> Bool {
        guard let byte = next else { return false }
        guard byte == UInt8(ascii: "-") || (48...57).contains(byte) else {
            place = nil
            return skipValue()
        }
        place = number()
        return place != nil
    }

    /// Reads a string. Any other value is skipped, and the result is nil.
    fileprivate mutating func read(_ place: inout String?) -> Bool {
        place = nil
        guard next == UInt8(ascii: "\"") else { return skipValue() }
        guard let token = string() else { return false }
        place = withBytes(of: token) { String(decoding: $0, as: UTF8.self) }
        return true
    }
}
