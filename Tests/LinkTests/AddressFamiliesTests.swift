import Glibc
import Testing

@testable import OdographLink

@Suite("The address families of a broker")
struct AddressFamiliesTests {
    @Test(
        "Each family is tried once in the resolver's order, and a single family needs no bind address",
        arguments: [
            ([AF_INET6, AF_INET], ["::", "0.0.0.0"]), ([AF_INET, AF_INET6], ["0.0.0.0", "::"]),
            ([AF_INET, AF_INET6, AF_INET, AF_INET6], ["0.0.0.0", "::"]), ([AF_INET, AF_INET], [nil]),
            ([AF_INET6], [nil]), ([], [nil]),
        ] as [([Int32], [String?])])
    func choice(families: [Int32], expected: [String?]) {
        #expect(AddressFamilies.bindAddresses(families: families) == expected)
    }

    @Test("An unknown host is an error that names it")
    func unknown() {
        let error = #expect(throws: LinkFailure.self) { try AddressFamilies.bindAddresses(host: "no-host.invalid") }
        #expect(error.map { "\($0)" }?.contains("no-host.invalid") == true)
    }
}
