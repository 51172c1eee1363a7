/// The behaviour of the sandbox.
public struct SandboxOptions: Sendable {
    /// How a client's request is approved.
    public enum Approval: Sendable {
        /// The user is signed in and grants everything immediately.
        case automatic(SandboxUser)
        /// A consent page asks the user.
        case page
    }

    package var approval: Approval
    /// The users on the page.
    package var users: [SandboxUser]
    package var faults: Set<SandboxFault>
    /// Whether the page offers a fault, for its sign-in and the use of its tokens.
    package var offersFaults: Bool
    /// The lifetime of an authorization code, in seconds.
    package var codeLifetime: Int
    /// The polling interval of a device, in seconds.
    package var deviceInterval: Int
    /// The delay of each response with the fault `slow`.
    package var slowness: Duration

    public init(
        approval: Approval = .automatic(.sample), users: [SandboxUser] = [.sample, .other],
        faults: Set<SandboxFault> = [], offersFaults: Bool = false, codeLifetime: Int = 60, deviceInterval: Int = 5,
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
