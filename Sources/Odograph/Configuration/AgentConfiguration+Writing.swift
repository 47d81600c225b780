import OdographBeacons
import OdographCivilTime
import OdographCrontab
import OdographGeodesy
import OdographLink
import Logging
import OdographJSON
import OdographModel
import OdographPositioning
import OdographSettings
import OdographStore
import OdographTracking
import OdographWire

extension AgentConfiguration {
    /// Returns the configuration in force, defaults included, as JSON that reads back as this configuration. It
    /// contains no secret because a configuration contains none.
    public func document() throws -> String { try JSONCoder.prettyString(of: documentValue) + "\n" }

    /// Returns the same in one line, with a newline.
    public func documentLine() throws -> String { try JSONCoder.string(of: documentValue) + "\n" }

    private var documentValue: JSONValue {
        JSONValue.object([
            "root": .string(address.root), "fleet": .string(address.fleet), "device": .string(address.device),
            "groups": .array(groups.map { .string($0) }), "broker": broker.document,
            "certificate": .compactObject(["renew_days": .optionalInteger(certificateRenewDays)]),
            "source": source.document,
            "vehicle": vehicle.document,
            "store": .object([
                "path": .string(store.path), "synchronous": .string(store.synchronous.rawValue),
                "maximum_size": .number(Double(store.maximumBytes) / StoreConfiguration.megabyte),
            ]),
            "control": .object(["path": .string(controlPath)]),
            "log": .object(["level": .string(logLevel.rawValue)]),
            "privacy": .object(["locked": .bool(isPrivacyLocked)]), "tracking": tracking.document,
        ])
    }
}

extension JSONValue {
    /// Returns an object without the members that are nil.
    fileprivate static func compactObject(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues { $0 })
    }

    fileprivate static func optionalString(_ text: String?) -> JSONValue? { text.map { .string($0) } }

    fileprivate static func optionalPath(_ path: String?) -> JSONValue? {
        path.map { .string(ServiceCredentials.name(of: $0)) }
    }

    fileprivate static func optionalInteger(_ number: Int?) -> JSONValue? { number.map { .integer(Int64($0)) } }
}

extension BrokerConfiguration {
    fileprivate var document: JSONValue {
        .compactObject([
            "url": urls.count == 1 ? .string("\(url)") : .array(urls.map { .string("\($0)") }),
            "client_id": .optionalString(clientID), "username": .optionalString(username),
            "password_file": .optionalPath(passwordFile), "allow_insecure": .bool(allowsInsecure),
            "keep_alive": .integer(Int64(keepAliveSeconds)), "protocol": .string(protocolName),
            "keep_alive_maximum": .optionalInteger(keepAliveMaximumSeconds),
            "maximum_in_flight": .integer(Int64(maximumInFlight)),
            "maximum_in_flight_bytes": .optionalInteger(maximumInFlightBytes),
            "maximum_message_bytes": .optionalInteger(maximumMessageBytes),
            "rate": .compactObject([
                "messages": .optionalInteger(rateLimits.messagesPerSecond),
                "bytes": .optionalInteger(rateLimits.bytesPerSecond),
            ]),
            "tls": .compactObject([
                "ca_file": .optionalPath(tls.caFile), "ca_folder": .optionalPath(tls.caFolder),
                "certificate_file": .optionalPath(tls.certificateFile), "key_file": .optionalPath(tls.keyFile),
                "alpn": .optionalString(tls.alpn),
            ]),
            "reconnect": .object([
                "minimum": .number(reconnectMinimumSeconds), "maximum": .number(reconnectMaximumSeconds),
            ]),
        ])
    }

    private var protocolName: String {
        switch protocolPreference {
        case .automatic: "auto"
        case .v5: "5"
        case .v311: "3.1.1"
        }
    }
}

extension SourceConfiguration {
    fileprivate var document: JSONValue {
        switch self {
        case .gpsd(let settings):
            .object([
                "gpsd": .compactObject([
                    "host": .string(settings.host), "port": .integer(Int64(settings.port)),
                    "device": .optionalString(settings.device), "silence": .number(settings.silenceTimeoutSeconds),
                    "change_rate": .bool(settings.changesReceiverRate),
                    "moving_cycle": .number(settings.movingCycleSeconds),
                    "standing_cycle": .number(settings.stationaryCycleSeconds),
                    "standing_poll": .number(settings.stationaryPollSeconds),
                ])
            ])
        case .replay(let settings):
            .object([
                "replay": .compactObject([
                    "file": .string(settings.path), "speed": Self.speed(settings.speedFactor),
                    "longest_pause": .number(settings.maximumPauseSeconds), "device": .optionalString(settings.device),
                ])
            ])
        case .simulator(let settings):
            .object([
                "simulator": .compactObject([
                    "seed": .integer(Int64(clamping: settings.seed)),
                    "latitude": .number(settings.start.latitudeDegrees),
                    "longitude": .number(settings.start.longitudeDegrees),
                    "speed": Self.speed(settings.speedFactor), "rate": .number(settings.rateHertz),
                    "parked": .number(settings.parkedSeconds),
                    "harsh_stops": settings.harshStopInterval.map { .integer(Int64($0)) },
                    "duration": settings.durationSeconds.map { .number($0) },
                ])
            ])
        }
    }

    private static func speed(_ factor: Double?) -> JSONValue { factor.map { .number($0) } ?? .string("max") }
}

extension TrackingSettings {
    /// The settings as the value of the key `tracking`, defaults included.
    package var document: JSONValue {
        .compactObject([
            "enabled": .bool(core.isEnabled), "schedule": schedule.expression?.jsonValue,
            "time_zone": schedule.expression == nil && !monthlyBudget.isOn
                ? nil : .string(schedule.zone.identifier),
            "off_schedule": .object([
                "mode": .string(schedule.offSchedule.mode.rawValue), "tag": .string(schedule.offSchedule.tag),
            ]),
            "schedule_before_time": .string(schedule.isOpenWhileTimeUnknown ? "open" : "closed"),
            "desired_accuracy": .number(core.desiredAccuracyMeters),
            "heartbeat_interval": .number(core.heartbeatIntervalSeconds),
            "provider_change_delay": .number(core.providerChangeDelaySeconds),
            "stationary": .object([
                "distance": .number(core.stationary.distanceMeters),
                "interval": .number(core.stationary.intervalSeconds),
                "speed": .number(core.stationary.speedMetersPerSecond),
            ]),
            "sampling": .object([
                "minimum_interval": .number(core.sampling.minimumIntervalSeconds),
                "distance": .number(core.sampling.distanceMeters),
                "heading": .number(core.sampling.headingDegrees),
                "maximum_interval": .number(core.sampling.maximumIntervalSeconds),
                "halts": .bool(core.sampling.recordsHalts),
            ]),
            "filter": .object([
                "maximum_speed": .number(core.filter.maximumSpeedMetersPerSecond),
                "maximum_age": .number(core.filter.maximumAgeSeconds),
            ]),
            "timeline": .object([
                "update_interval": .number(core.timeline.updateIntervalSeconds),
                "shortest_stop": .number(core.timeline.shortestStopSeconds),
                "vehicle": .string(core.timeline.vehicle?.rawValue ?? "auto"),
                "gap": .number(core.timeline.gapSeconds),
                "waypoint_tolerance": .number(core.timeline.waypointToleranceMeters),
                "maximum_waypoints": .integer(Int64(core.timeline.maximumWaypoints)),
            ]),
            "driving": core.driving?.document, "beacons": beacons == BeaconRule() ? nil : beacons.document,
            "commit_interval": .number(commitIntervalSeconds), "retention": .number(retentionSeconds),
            "delivery": .string(delivery.mode.rawValue),
            "delivery_recorders": .array(delivery.recorders.map { .string($0) }),
            "delivery_keep": .number(delivery.keepSeconds),
            "encoding": .string(encoding.mode.rawValue),
            "batch_interval": .number(encoding.batchIntervalSeconds),
            "position_interval": .number(encoding.positionIntervalSeconds),
            "monthly_budget": .object([
                "bytes": .integer(monthlyBudget.bytes), "first_day": .integer(Int64(monthlyBudget.firstDay)),
            ]),
            "extras": .object(extras),
        ])
    }
}
