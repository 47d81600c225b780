import OdographHarness
import OdographPostgreSQL
import Testing

@testable import OdographRecorder

@Suite("Statements for many rows")
struct RowStatementTests {
    private static let insertion = RowStatement(
        columns: [.integer("vehicle"), .time("time"), .time("time_to"), .text("kind"), .real("speed")],
        sql: "INSERT INTO a (x) SELECT new.vehicle, new.time, new.time_to, new.kind, new.speed FROM new WHERE true")

    @Test("SQLite gets a parameter for each value, PostgreSQL an array for each column")
    func statements() {
        #expect(Self.insertion.sqlOfRow == "INSERT INTO a (x) SELECT ?1, ?2, ?3, ?4, ?5 WHERE true")
        #expect(
            Self.insertion.sqlOfArrays
                == "INSERT INTO a (x) SELECT new.vehicle, new.time::timestamptz, new.time_to::timestamptz, new.kind, "
                + "new.speed FROM unnest(?1::bigint[], ?2::text[], ?3::text[], ?4::text[], ?5::float8[]) "
                + "AS new (vehicle, time, time_to, kind, speed) WHERE true")
        let query = RowStatement(
            columns: [.integer("key")], sql: "SELECT id FROM new, runs AS run WHERE run.id = new.key")
        #expect(query.sqlOfRow == "SELECT id FROM runs AS run WHERE run.id = ?1")
        #expect(
            query.sqlOfArrays == "SELECT id FROM unnest(?1::bigint[]) AS new (key), runs AS run WHERE run.id = new.key")
        let deletion = RowStatement(columns: [.integer("key")], sql: "DELETE FROM runs USING new WHERE id = new.key")
        #expect(deletion.sqlOfRow == "DELETE FROM runs WHERE id = ?1")
        #expect(deletion.sqlOfArrays == "DELETE FROM runs USING unnest(?1::bigint[]) AS new (key) WHERE id = new.key")
    }

    @Test("A server reads the arrays as they were written")
    func arrays() async throws {
        let server = try await PostgreSQLServer.shared()
        let connection = try PostgreSQLConnection(name: "test", settings: [("dbname", server.address())])
        let statement = try connection.prepare("SELECT * FROM unnest($1::bigint[], $2::float8[], $3::text[])")
        let numbers: [Int64] = [0, -1, .min, .max]
        let reals = [0, -0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        let texts = ["", "{a,\"b\"}\\", "ä 🚐\n\t", "NULL"]
        var arrays = [PostgreSQLArray(.bigint, count: 5), PostgreSQLArray(.doublePrecision, count: 5)]
        var text = PostgreSQLArray(.text, count: 5)
        for number in numbers { arrays[0].append(number) }
        for real in reals { arrays[1].append(real) }
        for value in texts { text.append(value) }
        arrays.append(text)
        for index in arrays.indices { arrays[index].appendNull() }
        let result = try statement.run(arrays: arrays)
        #expect((0..<5).map { result.text(row: $0, column: 0).flatMap { Int64($0) } } == numbers + [nil])
        #expect((0..<5).map { result.text(row: $0, column: 1).flatMap { Double($0) } } == reals + [nil])
        #expect((0..<5).map { result.text(row: $0, column: 2) } == texts + [nil])
    }
}
