import Testing

@testable import OdographRecorder

@Suite("Addresses of PostgreSQL")
struct AddressTests {
    @Test("Only arguments with a password are secret, also behind the name of their option")
    func secrets() {
        let arguments = [
            "odograph-recorder", "status", "--database", "postgresql://u:p@h/d", "--database=postgres://h/d?password=q",
            "postgresql://u@h/d", "u:p@h", "--name=a=b", "/var/lib/x.db",
        ]
        #expect(
            Set(PostgreSQLAddress.secrets(in: arguments).keys) == ["postgresql://u:p@h/d", "postgres://h/d?password=q"])
        #expect(PostgreSQLAddress.secrets(in: arguments).values.allSatisfy { !$0.contains("u:p") })
    }
}
