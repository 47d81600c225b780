import COdographMosquitto
import Glibc

/// The results that the library's callbacks store. The callbacks run inside calls that the client's thread makes, so
/// nothing here is shared. The thread reads the results after each turn of its loop.
final class CallbackContext {
    /// The contents of the broker's CONNACK.
    struct Connack {
        var reason: Int32
        var receiveMaximum = 65_535
        var maximumPacketBytes: Int?
        var maximumQoS = 2
        var maximumTopicAlias = 0
        var keepAliveSeconds: Int?
        var isSessionPresent = false
    }

    var connack: Connack?
    var pubacks: [(identifier: UInt16, reason: Int32)] = []
    var subacks: [(identifier: UInt16, reason: Int32)] = []
    var incomingEvents: [LinkEvent] = []
    var disconnectReason: Int32?
    /// Whether the library has written to the socket in order to acknowledge a received message.
    var hasSentAcknowledgement = false
    var logLines: [String] = []
    /// The result of OpenSSL's verification of the broker's certificate; nil unless it failed.
    var certificateVerifyResult: (code: Int, text: String)?
    let maximumIncomingBytes: Int

    init(maximumIncomingBytes: Int) { self.maximumIncomingBytes = maximumIncomingBytes }

    static func from(_ pointer: UnsafeMutableRawPointer?) -> CallbackContext? {
        pointer.map { Unmanaged<CallbackContext>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Stores a log line. At most 64 are kept.
    func appendLogLine(_ line: UnsafePointer<CChar>?) {
        guard let line, logLines.count < 64 else { return }
        logLines.append(String(cString: line))
    }

    func handleConnack(reason: Int32, flags: Int32, properties: OpaquePointer?) {
        var answer = Connack(reason: reason)
        answer.isSessionPresent = flags & 1 != 0
        if let properties {
            let reader = MQTTPropertyReader(list: properties)
            answer.receiveMaximum = reader.int16(MQTT_PROP_RECEIVE_MAXIMUM) ?? answer.receiveMaximum
            answer.maximumPacketBytes = reader.int32(MQTT_PROP_MAXIMUM_PACKET_SIZE)
            answer.maximumQoS = reader.byte(MQTT_PROP_MAXIMUM_QOS).map { Int($0) } ?? answer.maximumQoS
            answer.keepAliveSeconds = reader.int16(MQTT_PROP_SERVER_KEEP_ALIVE)
            answer.maximumTopicAlias = reader.int16(MQTT_PROP_TOPIC_ALIAS_MAXIMUM) ?? 0
        }
        self.connack = answer
    }

    func handleMessage(_ message: mosquitto_message, properties: OpaquePointer?) {
        if message.qos > 0 { hasSentAcknowledgement = true }
        guard let topicPointer = message.topic else { return }
        let topic = String(cString: topicPointer)
        let bytes = Int(message.payloadlen)
        guard bytes <= maximumIncomingBytes else {
            incomingEvents.append(.oversized(topic: topic, bytes: bytes))
            return
        }
        var result = IncomingMessage(
            topic: topic, payload: Array(UnsafeRawBufferPointer(start: message.payload, count: bytes)),
            isRetained: message.retain, qos: Int(message.qos), userProperties: [])
        if let properties {
            let reader = MQTTPropertyReader(list: properties)
            result.responseTopic = reader.string(MQTT_PROP_RESPONSE_TOPIC)
            result.correlationData = reader.binary(MQTT_PROP_CORRELATION_DATA)
            result.userProperties = reader.userProperties()
        }
        incomingEvents.append(.message(result))
    }
}

/// A reader for the MQTT 5 property list that a callback receives.
struct MQTTPropertyReader {
    let list: OpaquePointer

    func byte(_ property: mqtt5_property) -> UInt8? {
        var value: UInt8 = 0
        return mosquitto_property_read_byte(list, Int32(property.rawValue), &value, false) == nil ? nil : value
    }

    func int16(_ property: mqtt5_property) -> Int? {
        var value: UInt16 = 0
        return mosquitto_property_read_int16(list, Int32(property.rawValue), &value, false) == nil ? nil : Int(value)
    }

    func int32(_ property: mqtt5_property) -> Int? {
        var value: UInt32 = 0
        return mosquitto_property_read_int32(list, Int32(property.rawValue), &value, false) == nil ? nil : Int(value)
    }

    func string(_ property: mqtt5_property) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard mosquitto_property_read_string(list, Int32(property.rawValue), &value, false) != nil else { return nil }
        defer { free(value) }
        return value.map { String(cString: $0) }
    }

    func binary(_ property: mqtt5_property) -> [UInt8]? {
        var value: UnsafeMutableRawPointer?
        var length: UInt16 = 0
        guard mosquitto_property_read_binary(list, Int32(property.rawValue), &value, &length, false) != nil else {
            return nil
        }
        defer { free(value) }
        return Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : Int(length)))
    }

    func userProperties() -> [IncomingMessage.UserProperty] {
        var pairs: [IncomingMessage.UserProperty] = []
        var position: OpaquePointer? = list
        var isFirst = true
        while let current = position {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            position = mosquitto_property_read_string_pair(
                current, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, !isFirst)
            defer {
                free(name)
                free(value)
            }
            if position != nil, let name, let value {
                pairs.append(.init(name: String(cString: name), value: String(cString: value)))
            }
            isFirst = false
        }
        return pairs
    }
}
