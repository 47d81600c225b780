import OdographHarness

/// A web service with TLS, made of Python's modules, which answers each request with 200.
final class SecureWebService {
    let port: UInt16
    private let process: ChildProcess

    private static let program = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                print(self.rfile.read(int(self.headers['Content-Length'])).decode(), flush=True)
                self.send_response(200); self.send_header('Content-Length', '0'); self.end_headers()
        server = http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.serve_forever()
        """

    /// - Parameter name: The base name of certificate and key.
    init(_ authority: Authority, certificate name: String) async throws {
        port = try FreePort.next()
        let (folder, port) = (authority.folder, port)
        let child = try ChildProcess(
            "/usr/bin/python3",
            ["-c", Self.program, "\(port)", folder.file("\(name).crt"), folder.file("\(name).key")])
        process = child
        let isUp = try await eventually { () -> Bool? in
            if child.poll() != nil { throw HarnessError("no web service: \(child.errors)") }
            return FreePort.isServed(port) ? true : nil
        }
        guard isUp != nil else { throw HarnessError("no web service: \(child.errors)") }
    }

    /// The bodies of the requests, a line each.
    var bodies: String { process.output }
}
