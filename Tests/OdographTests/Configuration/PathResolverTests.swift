import Testing

@testable import Odograph

@Suite("Paths of a configuration file")
struct PathResolverTests {
    @Test("A path that names a credential resolves to the service's credentials folder")
    func credentials() {
        let paths = PathResolver(folder: "/etc/odograph", credentials: "/run/credentials/odograph.service")
        #expect(
            paths.resolve("credential:odograph_van-7.key") == "/run/credentials/odograph.service/odograph_van-7.key")
        #expect(paths.resolve("ca.crt") == "/etc/odograph/ca.crt")
        #expect(paths.resolve("/x/ca.crt") == "/x/ca.crt")
    }
}
