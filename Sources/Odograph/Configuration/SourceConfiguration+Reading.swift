import OdographCivilTime
import OdographGeodesy
import OdographJSON
import OdographPositioning
import OdographSettings
import OdographWire

extension SourceConfiguration {
    /// Reads the keys under `source`: exactly one kind of source. The default is gpsd on this machine.
    package init(_ reader: inout SettingsReader, paths: PathResolver) {
        let kinds = ["gpsd", "replay", "simulator"]
        let named = kinds.filter { reader.value($0) != nil }
        if named.count > 1 {
            for kind in named.dropFirst() { reader.reject(kind, "only one source is allowed; found \(named[0]) too") }
        }
        switch named.first {
        case "replay": self = .replay(reader.object("replay") { ReplaySettings(&$0, paths: paths) })
        case "simulator": self = .simulator(reader.object("simulator", SimulatorSettings.init))
        default: self = .gpsd(reader.object("gpsd", GPSDSettings.init))
        }
    }
}

extension GPSDSettings {
    fileprivate init(_ reader: inout SettingsReader) {
        self.init()
        host = reader.string("host") ?? host
        port = UInt16(reader.integer("port", default: Int(port), in: 1...65_535, unit: "(a TCP port)"))
        device = reader.string("device")
        silenceTimeoutSeconds = reader.number("silence", default: silenceTimeoutSeconds, in: 1...3600, unit: "seconds")
        changesReceiverRate = reader.bool("change_rate", default: changesReceiverRate)
        movingCycleSeconds = reader.number("moving_cycle", default: movingCycleSeconds, in: 0.05...60, unit: "seconds")
        stationaryCycleSeconds = reader.number(
            "standing_cycle", default: stationaryCycleSeconds, in: 0.05...60, unit: "seconds")
        stationaryPollSeconds = reader.number(
            "standing_poll", default: stationaryPollSeconds, in: 1...60, allowsZero: true, unit: "seconds")
        earliestDate = Timestamp(millisecondsSinceEpoch: Build.earliestDateMilliseconds)
    }
}

extension ReplaySettings {
    fileprivate init(_ reader: inout SettingsReader, paths: PathResolver) {
        let file = reader.string("file")
        if file == nil, !reader.hasValue("file") {
            reader.reject("file", "missing; write the path of a capture or GPX file")
        }
        self.init(path: paths.resolve(file ?? ""))
        speedFactor = Self.readSpeedFactor(&reader, fallback: 1)
        maximumPauseSeconds = reader.number(
            "longest_pause", default: maximumPauseSeconds, in: 0...86_400, unit: "seconds")
        device = reader.string("device")
    }

    /// Reads a factor, or `"max"`, which gives nil.
    package static func readSpeedFactor(_ reader: inout SettingsReader, fallback: Double) -> Double? {
        if case .string(let word)? = reader.value("speed") {
            if word == "max" { return nil }
            reader.reject("speed", "write a factor such as 1 or 10, or \"max\" for as fast as possible")
            return fallback
        }
        return reader.number("speed", default: fallback, in: 0.01...100_000, unit: "times real time, or \"max\"")
    }
}

extension SimulatorSettings {
    fileprivate init(_ reader: inout SettingsReader) {
        let seed = reader.integer("seed", default: 1, in: 0...Int.max, unit: "(any number)")
        let usual = Self.usualStart
        let latitude = reader.number("latitude", default: usual.latitudeDegrees, in: -80...80, unit: "degrees")
        let longitude = reader.number("longitude", default: usual.longitudeDegrees, in: -180...180, unit: "degrees")
        let start = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        self.init(seed: UInt64(seed), start: start ?? usual)
        speedFactor = ReplaySettings.readSpeedFactor(&reader, fallback: 1)
        rateHertz = reader.number("rate", default: rateHertz, in: 0.01...20, unit: "positions a second")
        parkedSeconds = reader.number("parked", default: parkedSeconds, in: 0...86_400, unit: "seconds")
        harshStopInterval = reader.optionalInteger("harsh_stops", in: 1...1000, unit: "stops")
        if reader.value("duration") != nil {
            durationSeconds = reader.number("duration", default: 3600, in: 1...31_536_000, unit: "seconds")
        }
    }
}
