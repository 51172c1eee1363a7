import CarnetProtocol

/// The callbacks that are being completed in this process.
actor RunningCallbacks {
    private var replies: [Secret: Task<WebReply, Never>] = [:]

    /// The reply to a request, shared with those that are the same to the byte, cookies included, while it is made. It is
    /// made to the end, also if the browser hangs up: a code serves once.
    func reply(to request: Secret, _ make: @escaping @Sendable () async -> WebReply) async -> WebReply {
        if let running = replies[request] { return await running.value }
        let reply = Task { await make() }
        replies[request] = reply
        defer { replies[request] = nil }
        return await reply.value
    }

    /// Returns when none of the callbacks of this moment is in progress.
    func finish() async {
        for running in replies.values { _ = await running.value }
    }
}
