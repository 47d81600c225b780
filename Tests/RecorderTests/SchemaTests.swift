import OdographHarness
import Testing

@testable import OdographRecorder

/// The tables are written twice, in the SQL of each database. They must say the same.
@Suite("The tables in both databases")
struct SchemaTests {
    /// The type in PostgreSQL of a column of SQLite.
    private static func type(_ type: String, of column: String) -> String {
        switch type {
        case "INTEGER": return "bigint"
        case "REAL": return "double precision"
        case "BLOB": return "bytea"
        default:
            let isTime =
                ["time", "received", "at", "last_backup"].contains(column)
                || ["_time", "_date", "_seen"].contains { column.hasSuffix($0) }
            return isTime ? "timestamp with time zone" : "text"
        }
    }

    /// Returns the columns of tables in SQLite: each with its type in PostgreSQL, whether it can be NULL, and its
    /// default.
    private static func columns(of file: Archive) throws -> [String] {
        try file.rows(
            """
            SELECT tables.name, columns.name, columns.type, "notnull" = 0 AND pk = 0, coalesce(dflt_value, '')
            FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' ORDER BY tables.name, cid
            """
        ).map { row in
            "\(row[0]).\(row[1]): \(type(row[2], of: row[1]))\(row[3] == "1" ? " or NULL" : "") \(row[4])"
        }
    }

    /// Returns the same of tables in PostgreSQL.
    private static func columns(of server: ServerArchive) throws -> [String] {
        try server.rows(
            """
            SELECT table_name, column_name, data_type, (is_nullable = 'YES')::int,
                CASE WHEN column_default LIKE 'nextval%' THEN '' ELSE coalesce(column_default, '') END
            FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
            WHERE table_schema = 'odograph' AND table_type = 'BASE TABLE' AND table_name !~ '^records_'
                AND table_name <> 'schema_version'
            ORDER BY table_name COLLATE "C", ordinal_position
            """
        ).map { row in "\(row[0]).\(row[1]): \(row[2])\(row[3] == "1" ? " or NULL" : "") \(row[4])" }
    }

    @Test("Both have the same columns in the same order, with types of the same meaning")
    func columns() async throws {
        let (file, server) = (try Archive(), try await ServerArchive())
        let (expected, found) = (try Self.columns(of: file), try Self.columns(of: server))
        #expect(expected.count > 150)
        #expect(found == expected, "\(found.difference(from: expected))")
    }

    @Test("Both have the same views with the same columns")
    func views() async throws {
        let (file, server) = (try Archive(), try await ServerArchive())
        let expected = try file.rows(
            """
            SELECT views.name, columns.name FROM sqlite_schema AS views, pragma_table_info(views.name) AS columns
            WHERE views.type = 'view' ORDER BY views.name, cid
            """)
        let found = try server.rows(
            """
            SELECT table_name, column_name
            FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
            WHERE table_schema = 'odograph' AND table_type = 'VIEW'
            ORDER BY table_name COLLATE "C", ordinal_position
            """)
        #expect(Set(expected.map { $0[0] }) == ["gaps", "open_gaps", "positions", "timeline"])
        #expect(found == expected)
    }

    /// Returns the keys, indexes and references of tables in SQLite. Each index has its columns in order.
    private static func keys(of file: Archive) throws -> Set<String> {
        let keys = try file.rows(
            """
            SELECT tables.name, 'key', '', (
                SELECT group_concat(name, ', ')
                FROM (SELECT name FROM pragma_table_info(tables.name) WHERE pk > 0 ORDER BY pk))
            FROM sqlite_schema AS tables WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'
            UNION ALL
            SELECT tables.name, CASE WHEN "unique" THEN 'unique' ELSE 'index' END,
                CASE WHEN partial THEN ' in part' ELSE '' END, (
                    SELECT group_concat(name, ', ')
                    FROM (SELECT name FROM pragma_index_info(indexes.name) ORDER BY seqno))
            FROM sqlite_schema AS tables, pragma_index_list(tables.name) AS indexes
            WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND origin <> 'pk'
            UNION ALL
            SELECT tables.name, 'reference to ' || "table", '', "from" || ', ' || "to"
            FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name)
            WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'
            """)
        return Set(keys.map { "\($0[0]): \($0[1])\($0[2]) \($0[3])" })
    }

    /// Returns the same of tables in PostgreSQL. An index of a sum or of the beginning of a column is one of the
    /// column.
    private static func keys(of server: ServerArchive) throws -> Set<String> {
        let keys = try server.rows(
            """
            SELECT relname,
                CASE WHEN indisprimary THEN 'key' WHEN indisunique THEN 'unique' ELSE 'index' END,
                CASE WHEN indpred IS NULL THEN '' ELSE ' in part' END,
                array_to_string(ARRAY(SELECT pg_get_indexdef(indexrelid, place, true)
                                      FROM generate_series(1, indnkeyatts) AS place ORDER BY place), ', ')
            FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
            WHERE relnamespace = 'odograph'::regnamespace AND NOT relispartition
            UNION ALL
            SELECT relname, 'reference to ' || confrelid::regclass, '',
                (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1]) || ', '
                    || (SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1])
            FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
            WHERE contype = 'f' AND relnamespace = 'odograph'::regnamespace AND NOT relispartition
            """)
        return Set(
            keys.map { row in
                let columns = row[3].replacing("\"", with: "")
                    .replacing(#/(?:md5|substr)\((\w+)(?:, \d+, \d+)?\)/#) { String($0.1) }
                return "\(row[0]): \(row[1])\(row[2]) \(columns)"
            })
    }

    @Test("Both have the same keys, indexes and references, except for records, which has partitions in PostgreSQL")
    func keys() async throws {
        let (file, server) = (try Archive(), try await ServerArchive())
        let (expected, found) = (try Self.keys(of: file), try Self.keys(of: server))
        #expect(expected.count > 50)
        #expect(expected.subtracting(found) == ["records: key id", "records: unique vehicle, epoch, seq"])
        #expect(found.subtracting(expected) == ["records: key vehicle, epoch, seq, time", "records: index id"])
    }
}
