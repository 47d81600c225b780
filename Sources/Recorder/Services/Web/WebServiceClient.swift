import OdographHTTP
import OdographSettings

/// Sends JSON to web services, and decides what their answers mean.
final class WebServiceClient {
    private var client: HTTPClient?
    private let limits: HTTPClient.Limits

    /// - Parameter limits: The limits of each request.
    init(limits: HTTPClient.Limits = HTTPClient.Limits()) { self.limits = limits }

    /// Sends a document, and waits for the answer.
    /// - Parameter refusals: The states that mean that the service will never take the document.
    func post(_ body: [UInt8], to service: WebService, refusals: Set<Int>) -> DeliveryResult {
        var headers: [String] = []
        for case let path? in [service.tokenFile, service.caFile] where ServiceCredentials.isMissing(path) {
            return .failed("\(FileReader.name(of: path)): \(ServiceCredentials.problem)")
        }
        if let path = service.tokenFile {
            switch FileReader.firstLine(of: path, atMost: 4096) {
            case .success(let token): headers.append("Authorization: Bearer \(token)")
            case .failure(let error): return .failed("\(path): \(error)")
            }
        }
        let status: Int
        do throws(HTTPFailure) {
            let client: HTTPClient
            if let known = self.client { client = known } else { client = try HTTPClient(limits: limits) }
            self.client = client
            status = try client.post(json: body, to: service.address, caFile: service.caFile, headers: headers)
        } catch {
            return .failed("\(service.address.origin): \(error)")
        }
        switch status {
        case 200..<300: return .delivered
        case 300..<400:
            return .failed(
                "\(service.address.origin): redirects (status \(status)) are not followed; set its new address")
        case _ where refusals.contains(status): return .refused("\(service.address.origin): status \(status)")
        default: return .failed("\(service.address.origin): status \(status)")
        }
    }
}
