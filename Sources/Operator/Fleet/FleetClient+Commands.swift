import Odograph
import OdographCivilTime
import OdographJSON
import OdographLink
import OdographTerminal
import OdographWire

/// Commands to vehicles.
extension FleetClient {
    /// Publishes a command and waits for the response of one vehicle.
    /// - Throws: `ExitError` if the vehicle is offline, or does not respond in time.
    public func sendCommand(
        _ action: CommandRequest.Action, parameters: [String: JSONValue], device: String, timeoutSeconds: Double
    ) async throws -> CommandResponse {
        // A retained status arrives almost at once. A vehicle without one still gets the command.
        _ = await wait(seconds: 2) { $0.vehicles[device]?.status != nil }
        let outcomes = try await sendCommand(
            action, parameters: parameters, devices: [device], timeoutSeconds: timeoutSeconds)
        switch outcomes.first?.result {
        case .response(let response)?: return response
        case .none(let reason)?: throw ExitError(.unavailable, "\(device) \(reason)")
        case nil: throw ExitError(.software, "the command has no outcome")
        }
    }

    /// Publishes a command for all vehicles of a level, and waits for the responses.
    /// - Returns: the outcome of each known vehicle, by name.
    /// - Throws: `ExitError` if the level has no known vehicle.
    public func sendCommand(
        _ action: CommandRequest.Action, parameters: [String: JSONValue], level: DownlinkLevel, timeoutSeconds: Double
    ) async throws -> [CommandOutcome] {
        try await requireRecipient(of: level, device: nil)
        // The retained messages of the other vehicles arrive soon.
        _ = await wait(seconds: 1) { _ in false }
        let devices = targets(of: level, device: nil).vehicles.map(\.name)
        return try await sendCommand(action, parameters: parameters, devices: devices, timeoutSeconds: timeoutSeconds)
    }

    /// Sends the command to the vehicles that are not offline. Each gets a message of its own: the id of a response
    /// and the topic for it are those of one vehicle.
    func sendCommand(
        _ action: CommandRequest.Action, parameters: [String: JSONValue], devices: [String], timeoutSeconds: Double
    ) async throws -> [CommandOutcome] {
        let end = Timestamp.now.advanced(bySeconds: timeoutSeconds)
        var (tokens, identifiers): ([String: UInt64], [String: String]) = ([:], [:])
        var messages: [OutgoingMessage] = []
        for device in devices where vehicles[device]?.status?.state != .offline {
            let request = CommandRequest(
                id: "desk-\(UInt64.random(in: 0...UInt64.max))", action: action, expiresAt: end, parameters: parameters)
            var message = OutgoingMessage(
                topic: try topic(.device, device: device, .command), payload: try JSONCoder.bytes(of: request),
                isRetained: DownlinkChannel.command.isRetained,
                properties: OutgoingMessage.Properties(
                    correlationData: Array(device.utf8), responseTopic: responseTopic.replacing("+", with: device)))
            message.token = answers.newToken()
            (tokens[device], identifiers[device]) = (message.token, request.id)
            messages.append(message)
        }
        client.publish(messages)
        let pending = identifiers
        let sent = tokens
        _ = await wait(seconds: timeoutSeconds) { desk in
            pending.allSatisfy { device, id in
                desk.responses[id]?[device] != nil || sent[device].map { desk.answers.refusals[$0] != nil } ?? false
            }
        }
        return devices.map { device in
            CommandOutcome(
                device: device,
                result: outcome(
                    device, id: identifiers[device], token: tokens[device], timeoutSeconds: timeoutSeconds))
        }
    }

    private func outcome(_ device: String, id: String?, token: UInt64?, timeoutSeconds: Double) -> CommandOutcome.Result
    {
        guard let id, let token else {
            let reason = vehicles[device]?.status?.reason.rawValue ?? ""
            return .none("is offline (\(reason.printable)); a command reaches only an online vehicle")
        }
        if let response = responses[id]?[device] { return .response(response) }
        if let refusal = answers.refusals[token] {
            return .none("got no command: the broker refused the message: \(refusal.printable)")
        }
        return .none(
            vehicles[device] == nil
                ? "is unknown at this broker and did not respond\(suggestion(for: device))"
                : "is online but did not respond within \(Format.duration(seconds: timeoutSeconds))")
    }
}
