extension Duration {
    /// The duration for a message: `1 second`, `30 seconds` or `1.5 seconds`.
    package var inSeconds: String {
        let (seconds, attoseconds) = components
        guard attoseconds == 0 else { return description }
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
}
