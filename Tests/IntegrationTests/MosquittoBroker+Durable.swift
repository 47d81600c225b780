import OdographHarness

extension MosquittoBroker {
    /// Returns a broker that saves its acknowledged messages and its sessions when it stops on SIGTERM.
    static func durable() async throws -> MosquittoBroker {
        let folder = try TemporaryFolder()
        let configuration = """
            persistence true
            persistence_location \(folder.path)/
            max_queued_messages 0
            max_inflight_messages 0
            """
        return try await MosquittoBroker(configuration: configuration, folder: folder)
    }
}
