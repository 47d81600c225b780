/// A channel of the renewal of a device's certificate: the last part of its topic. The payloads are PEM.
public enum CertificateChannel: String, Hashable, Sendable, CaseIterable {
    /// The certificate of the device, from the operator.
    case answer = "certificate"
    /// The request of the device for a certificate (PKCS#10).
    case request = "certificate/request"

    /// Whether the broker retains the newest message of the channel: the vehicle and the operator's program are seldom
    /// connected at the same time. The vehicle removes both messages when it uses the certificate.
    public var isRetained: Bool { true }
}

extension DeviceAddress {
    /// Returns the topic of a channel, for example `fleet/acme/van-7/certificate/request`.
    public func topic(_ channel: CertificateChannel) -> String { "\(root)/\(fleet)/\(device)/\(channel.rawValue)" }
}
