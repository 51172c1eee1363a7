import CarnetFoundation

/// A device that waits for the user's decision (RFC 8628).
struct Device: Sendable {
    enum Decision {
        case none
        case denied
        case granted(grantID: String)
    }

    let clientID: String
    let scopes: [String]
    let isOffline: Bool
    let audience: String?
    /// The resource servers that the tokens are for (RFC 8707).
    let resources: [String]
    let end: Date
    var interval: Int
    /// The earliest time of the next request for the tokens.
    var nextPoll: Date
    var decision = Decision.none
    var isUsed = false
}
