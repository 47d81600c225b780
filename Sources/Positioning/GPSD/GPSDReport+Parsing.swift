import OdographCivilTime
import Glibc
import OdographJSON

extension GPSDReport {
    /// Parses one line of gpsd.
    ///
    /// Of several members with one name, the last counts. A member with a value of a wrong type is treated as absent.
    /// - Returns: nil if the line is not exactly one well-formed JSON object.
    public init?(line: UnsafeBufferPointer<UInt8>) {
        var scanner = JSONScanner(Array(line), dialect: .lenient)
        var members = ReportMembers()
        do throws(JSONError) {
            guard try scanner.kind() == .object else { return nil }
            try members.read(&scanner, isInner: false)
            guard try scanner.isAtEnd() else { return nil }
        } catch {
            return nil
        }
        self = members.report
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

    /// Takes the object that is next.
    /// - Parameter isInner: whether the object is one of a list: those have no lists of their own.
    mutating func read(_ scanner: inout JSONScanner, isInner: Bool) throws(JSONError) {
        scanner.open()
        while try scanner.nextMember() {
            var member: Member?
            scanner.withText { member = Member($0) }
            try readValue(of: member, &scanner, isInner: isInner)
        }
    }

    private mutating func readValue(
        of member: Member?, _ scanner: inout JSONScanner, isInner: Bool
    ) throws(JSONError) {
        switch member {
        case .latitude: try scanner.read(&tpv.latitudeDegrees)
        case .longitude: try scanner.read(&tpv.longitudeDegrees)
        case .altitudeHAE: try scanner.read(&tpv.altitudeHAEMeters)
        case .altitudeMSL: try scanner.read(&tpv.altitudeMSLMeters)
        case .altitude: try scanner.read(&tpv.altitudeMeters)
        case .eph: try scanner.read(&tpv.ephMeters)
        case .epx: try scanner.read(&tpv.epxMeters)
        case .epy: try scanner.read(&tpv.epyMeters)
        case .eps: try scanner.read(&tpv.epsMetersPerSecond)
        case .speed: try scanner.read(&tpv.speedMetersPerSecond)
        case .track: try scanner.read(&tpv.trackDegrees)
        case .jam: try scanner.read(&tpv.jam)
        case .mode: try scanner.read(&tpv.mode)
        case .time: try readTime(&scanner)
        case .device: try scanner.read(&tpv.device)
        case .cycle: try scanner.read(&device.cycleSeconds)
        case .shortestCycle: try scanner.read(&device.minimumCycleSeconds)
        case .path: try scanner.read(&device.path)
        case .release: try scanner.read(&release)
        case .message: try scanner.read(&message)
        case .class: try readClass(&scanner)
        case .activated: try readActivated(&scanner)
        case .enable: try readEnable(&scanner)
        case .devices where !isInner: try readDevices(&scanner)
        case .polled where !isInner: try readPolled(&scanner)
        case .devices, .polled, nil: try scanner.skipValue()
        }
    }

    private mutating func readClass(_ scanner: inout JSONScanner) throws(JSONError) {
        kind = .other("")
        guard try scanner.readsString() else { return }
        kind =
            switch scanner.string {
            case "TPV": .tpv
            case "POLL": .poll
            case "VERSION": .version
            case "DEVICES": .devices
            case "DEVICE": .device
            case "WATCH": .watch
            case "ERROR": .error
            case let other: .other(other)
            }
    }

    private mutating func readTime(_ scanner: inout JSONScanner) throws(JSONError) {
        tpv.time = nil
        if try scanner.readsString() { scanner.withText { tpv.time = Timestamp(iso8601Bytes: $0) } }
        tpv.hasUnreadableTime = tpv.time == nil
    }

    /// A time, as ISO-8601 or (before release 2.96) as seconds; 0 or none means that the receiver is gone.
    private mutating func readActivated(_ scanner: inout JSONScanner) throws(JSONError) {
        device.isActivated = false
        if try scanner.kind() == .number {
            device.isActivated = try scanner.readNumber() > 0
        } else if try scanner.readsString() {
            device.isActivated = !scanner.text.isEmpty
        }
    }

    private mutating func readEnable(_ scanner: inout JSONScanner) throws(JSONError) {
        isEnabled = try scanner.peekToken() == UInt8(ascii: "t")
        try scanner.skipValue()
    }

    private mutating func readDevices(_ scanner: inout JSONScanner) throws(JSONError) {
        devices = []
        try readList(&scanner) { devices.append($0.device) }
    }

    private mutating func readPolled(_ scanner: inout JSONScanner) throws(JSONError) {
        polled = []
        try readList(&scanner) { polled.append($0.tpv) }
    }

    private func readList(_ scanner: inout JSONScanner, take: (ReportMembers) -> Void) throws(JSONError) {
        guard try scanner.kind() == .array else { return try scanner.skipValue() }
        scanner.open()
        while try scanner.nextElement() {
            guard try scanner.kind() == .object else {
                try scanner.skipValue()
                continue
            }
            var inner = ReportMembers()
            try inner.read(&scanner, isInner: true)
            take(inner)
        }
    }
}

private enum Member {
    case `class`, device, mode, time, latitude, longitude, altitudeHAE, altitudeMSL, altitude, eph, epx, epy, eps, speed
    case track, jam, path, activated, cycle, shortestCycle, devices, polled, release, message, enable

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
        } else if name.matches("jam") {
            self = .jam
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
    /// Takes a value.
    /// - Returns: whether it is a string.
    fileprivate mutating func readsString() throws(JSONError) -> Bool {
        let isString = try kind() == .string
        if isString { try readString() } else { try skipValue() }
        return isString
    }

    /// Takes a value: a number is stored, anything else is skipped and leaves nil.
    fileprivate mutating func read(_ place: inout Double?) throws(JSONError) {
        place = try readNumberOrSkip()
    }

    /// Takes a value: a string is stored, anything else is skipped and leaves nil.
    fileprivate mutating func read(_ place: inout String?) throws(JSONError) {
        place = try readsString() ? string : nil
    }
}
