import Harness

extension MosquittoBroker {
    /// A broker that keeps what it has acknowledged when it is told to stop, and its subscribers' sessions with it.
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
