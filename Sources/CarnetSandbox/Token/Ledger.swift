import CarnetDescriptors
import CarnetFoundation

/// What a user allowed a client: the family of all tokens that come from one approval.
struct Grant: Sendable {
    let clientID: String
    let user: SandboxUser
    let scopes: [String]
    /// What the client asked for; the user may have allowed less.
    let requestedScopes: [String]
    let authTime: Date
    var isOffline = false
    var nonce: String?
    var audience: String?
    var resources: [String] = []
    var details: JSONValue?
    var acr: String?
    /// The thumbprint of the key that the tokens are bound to (RFC 9449).
    var keyThumbprint: String?
    /// What the person wants to go wrong.
    var chosenFault: SandboxFault?
    /// The thumbprint of the certificate that the tokens are bound to (RFC 8705).
    var certificateThumbprint: String?
    /// The session of the sign-in, for a client with a back-channel logout URI.
    var sessionID: String?
    /// The latest ID token, if the client can read it as it is.
    var idToken: String?
    /// The latest refresh token.
    var refreshToken: String?
    /// What the callback had of the values that the descriptor keeps, by their names. Without a callback, there are none.
    var callbackValues: [String: String] = [:]
    /// Whether its tokens were refreshed, which is after the sign-in.
    var isRefreshed = false
    /// The grant, if it is not that of a code.
    var extensionGrant: ExtensionGrant?
    /// The further token set that the grant is for.
    var tokenSet: String?
    /// Whether the tokens were used once: values of the connection may be unknown to the client until then.
    var isUsed = false
    var isRevoked = false
}

struct AuthorizationCode: Sendable {
    let grantID: String
    let redirectURI: String
    let state: String?
    let challenge: String?
    let end: Date
    var isUsed = false
}

struct AccessToken: Sendable {
    let text: String
    let grantID: String
    let scopes: [String]
    let issued: Date
    var end: Date
}

struct RefreshToken: Sendable {
    let grantID: String
    /// `nil` if it has none.
    var end: Date?
    var isUsed = false

    func isValid(at now: Date) -> Bool { end.map { now < $0 } ?? true }
}

/// Everything that one authorization server has issued.
struct Ledger: Sendable {
    var grants = BoundedStore<Grant>()
    var codes = BoundedStore<AuthorizationCode>()
    var accessTokens = BoundedStore<AccessToken>()
    var refreshTokens = BoundedStore<RefreshToken>()
    /// The proofs of possession that were seen, by their ids.
    var proofs = BoundedStore<Int>()
    /// The clients that registered themselves, by their ids.
    var registeredClients = BoundedStore<SandboxClient>(capacity: 1000)
    /// What manages them, by the same ids.
    var managedClients = BoundedStore<ManagedClient>(capacity: 1000)
    /// By the text of the reference.
    var pushedRequests = BoundedStore<PendingRequest>(capacity: 1000)
    var devices = BoundedStore<Device>()
    /// The device code that each page is about, by the page's ticket.
    var deviceTickets = BoundedStore<String>(capacity: 1000)
    /// The device code that each code for people stands for.
    var userCodes = BoundedStore<String>()
    /// When a person first allowed a client anything, by client and subject.
    var acquaintances = BoundedStore<Date>()
    /// The ids of client assertions that were taken, with the second at which each ends.
    var assertions = BoundedStore<Int>()
    /// The grants by the ids of their sessions.
    var sessions = BoundedStore<String>()
    /// The ids of signed authorization requests that were taken, with the second at which each ends.
    var requestObjects = BoundedStore<Int>()
    /// With the fault `busy`: the time until which a place refuses requests.
    var busyPlaces = BoundedStore<Date>(capacity: 1000)

    mutating func add(_ token: String, of grantID: String, scopes: [String], at now: Date, lifetime: Int) {
        accessTokens[token] = AccessToken(
            text: token, grantID: grantID, scopes: scopes, issued: now, end: now.addingTimeInterval(Double(lifetime)))
    }

    mutating func revoke(grant id: String) { grants[id]?.isRevoked = true }

    func grantID(of token: String) -> String? { accessTokens[token]?.grantID ?? refreshTokens[token]?.grantID }

    /// The device that shows a code.
    func device(userCode: String) -> (code: String, device: Device)? {
        userCodes[userCode.uppercased()].flatMap { code in devices[code].map { (code, $0) } }
    }

    /// The grant of an access token that is good at a time.
    func activeAccess(_ token: String, at now: Date) -> (token: AccessToken, grant: Grant)? {
        guard let access = accessTokens[token], access.end > now, let grant = grants[access.grantID], !grant.isRevoked
        else { return nil }
        return (access, grant)
    }
}

/// A dictionary that forgets its oldest entry when it is full, so that a sandbox may run for weeks.
struct BoundedStore<Value: Sendable>: Sendable {
    private var values: [String: Value] = [:]
    private var order: [String] = []
    private let capacity: Int

    /// The keys, the latest first.
    var keys: ReversedCollection<[String]> { order.reversed() }

    var latestKey: String? { order.last }

    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// A key from outside that is not visible ASCII is nobody's: Swift would call some such strings equal to ASCII
    /// ones.
    subscript(key: String) -> Value? {
        get { key.isVisibleASCII ? values[key] : nil }
        set {
            if values[key] == nil, newValue != nil { order.append(key) }
            if newValue == nil { order.removeAll { $0 == key } }
            values[key] = newValue
            if order.count > capacity { values[order.removeFirst()] = nil }
        }
    }
}
