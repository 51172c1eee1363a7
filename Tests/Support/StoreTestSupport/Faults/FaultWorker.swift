public import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport

/// One process of a fault run: callers that refresh one account after the other, until the run ends.
public final class FaultWorker: Sendable {
    private let plan: FaultPlan
    private let client: OAuthClient
    private let number: Int
    private let say: @Sendable (String) -> Void
    private let isStopping = Lock(false)

    /// - Parameters:
    ///   - number: Which of the plan's processes it is.
    ///   - address: The database.
    ///   - say: Is given `saved ACCOUNT`, `failed ERROR` and `ended ACCOUNT`.
    public init(
        _ plan: FaultPlan, number: Int, address: String, transport: any Transport,
        say: @escaping @Sendable (String) -> Void
    ) throws {
        self.plan = plan
        self.number = number
        self.say = say
        client = try StormProvider.client(
            plan.store(address), transport: transport, limits: TransportLimits(deadline: .milliseconds(plan.exchange)))
    }

    public func run() async {
        await withTaskGroup { group in
            for caller in 0..<plan.callers {
                group.addTask { [self] in
                    var generator = SplitMix64(seed: plan.seed &+ UInt64(number * 1000 + caller))
                    while !isStopping.withLock(\.self) {
                        await refresh(plan.account(Int.random(in: 0..<plan.accounts, using: &generator)))
                    }
                }
            }
        }
        // What could not be saved is saved now: nothing disturbs any more.
        for account in 0..<plan.accounts {
            for _ in 0..<60 {
                guard let session = try? await client.session(for: plan.account(account)) else { break }
                if (try? await session.tokens()) != nil { break }
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
        say("done")
    }

    public func stop() {
        isStopping.withLock { $0 = true }
    }

    private func refresh(_ account: String) async {
        do {
            guard let session = try await client.session(for: account) else { return say("ended \(account)") }
            try await session.refresh()
            say("saved \(account)")
        } catch {
            let isEnd = (error as? OAuthError)?.disposition == .signInAgain
            say(isEnd ? "ended \(account) \(error)" : "failed \(error)")
            // A database that is away would be asked without a pause.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
