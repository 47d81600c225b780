import OdographHarness
import Testing

@testable import OdographLink

@Suite("The request for a certificate")
struct CertificateRequestTests {
    @Test("openssl accepts the request and the key, and the certificate is checked against the authorities")
    func request() async throws {
        let folder = try TemporaryFolder()
        let key = try #require(CertificateRequest.newKey())
        #expect(CertificateRequest.newKey() != key)
        let name = String(repeating: "v", count: 64)
        let request = try #require(CertificateRequest.make(name: name, key: key))
        try folder.write(String(decoding: key, as: UTF8.self), to: "key.pem")
        try folder.write(String(decoding: request, as: UTF8.self), to: "request.pem")
        let script = """
            cd "$0"
            openssl req -verify -noout -in request.pem
            openssl req -noout -subject -nameopt RFC2253 -in request.pem
            openssl pkey -in key.pem -noout -text | grep -E 'prime256v1'
            for name in good other; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -subj /CN=$name \\
                    -days 9 -out $name.crt
            done
            printf 'extendedKeyUsage = clientAuth\\n' >client
            printf 'extendedKeyUsage = serverAuth\\n' >server
            for use in client server; do
                openssl x509 -req -in request.pem -CA good.crt -CAkey good.key -CAcreateserial -days 9 -extfile $use \\
                    -out $use.crt
            done
            """
        let ran = try await ChildProcess.run("bash", ["-ec", script, folder.path])
        #expect(ran.ending == .exited(0), "\(ran.errors)")
        #expect((ran.output + ran.errors).contains("verify OK"))
        #expect(ran.output.contains("CN=\(name)") && ran.output.contains("prime256v1"), "\(ran.output)")
        func bytes(_ file: String) throws -> [UInt8] { Array(try folder.read(file).utf8) }
        let both = try bytes("other.crt") + bytes("good.crt")
        #expect(CertificateRequest.problem(of: try bytes("client.crt"), authorities: both) == nil)
        #expect(CertificateRequest.problem(of: try bytes("client.crt"), authorities: try bytes("other.crt")) != nil)
        #expect(CertificateRequest.problem(of: try bytes("server.crt"), authorities: both) != nil)
        #expect(CertificateRequest.problem(of: Array("no certificate".utf8), authorities: both) != nil)
        #expect(TLSCertificate.fit(ofPEM: try bytes("client.crt"), key: key + request) == .fits)
        #expect(TLSCertificate.fit(ofPEM: try bytes("good.crt"), key: key + request) == .differs)
    }

    @Test("A text that is no key makes no request")
    func noKey() {
        #expect(CertificateRequest.make(name: "van-7", key: Array("no key".utf8)) == nil)
        #expect(CertificateRequest.make(name: "van-7", key: []) == nil)
    }
}
