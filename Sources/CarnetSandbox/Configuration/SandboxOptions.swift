/// How the sandbox behaves.
public struct SandboxOptions: Sendable {
    /// Who says yes to a client's request.
    public enum Approval: Sendable {
        /// The user is signed in already and agrees to everything at once.
        case automatic(SandboxUser)
        /// A page asks.
        case page
    }

    public var approval: Approval
    /// Whom the page offers.
    public var users: [SandboxUser]
    public var faults: Set<SandboxFault>
    /// Whether the page lets the person choose a fault, for the sign-in that it is about and what its tokens are used for.
    public var offersFaults: Bool
    /// How many seconds an authorization code lives.
    public var codeLifetime: Int
    /// How many seconds a device waits between two requests for its tokens.
    public var deviceInterval: Int
    /// How long every answer takes with the fault `slow`.
    public var slowness: Duration

    public init(
        approval: Approval = .automatic(.sample),
        users: [SandboxUser] = [.sample, .other],
        faults: Set<SandboxFault> = [],
        offersFaults: Bool = false,
        codeLifetime: Int = 60,
        deviceInterval: Int = 5,
        slowness: Duration = .seconds(5)
    ) {
        self.approval = approval
        self.users = users
        self.faults = faults
        self.offersFaults = offersFaults
        self.codeLifetime = codeLifetime
        self.deviceInterval = deviceInterval
        self.slowness = slowness
    }
}
