import Carnet
import CarnetHTTP
import CarnetStoreTestSupport
import CarnetTesting
import Foundation

struct Worker: Sendable {
    private let store: any TokenStore
    private let transport: SandboxBoundTransport

    init(arguments: [String]) throws {
        store = try StoreLocation(arguments: arguments[2...]).open()
        transport = SandboxBoundTransport(base: arguments[1], transport: AsyncHTTPTransport(localAccess: .all))
    }

    /// Writes at once: the process may be killed at any moment.
    func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line.replacing("\n", with: " ") + "\n").utf8))
    }

    private func say(_ error: any Error) {
        let isEnd = (error as? OAuthError)?.disposition == .signInAgain
        say("\(isEnd ? "ended" : "failed") \(error)")
    }

    func giveTokens(to callers: Int, seconds: Double) async throws {
        let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000 + seconds))
        let client = try StormProvider.client(store, transport: transport, clock: clock)
        let given = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    do {
                        let session = try await client.session(for: StormProvider.key.account)
                        let tokens = try await session?.tokens()
                        return tokens.map { !$0.isExpiring(within: 0, at: clock.now) } ?? false
                    } catch {
                        say(error)
                        return false
                    }
                }
            }
            var given = 0
            for await isGiven in group where isGiven { given += 1 }
            return given
        }
        say("given \(given)")
        say("done")
    }

    func storm(callers: Int) async throws {
        let client = try StormProvider.client(store, transport: transport)
        await withTaskGroup { group in
            for _ in 0..<callers { group.addTask { await renewWithoutEnd(client) } }
        }
    }

    private func renewWithoutEnd(_ client: OAuthClient) async {
        while true {
            do {
                guard let session = try await client.session(for: StormProvider.key.account) else {
                    return say("ended: there is no session")
                }
                let tokens = try await session.refresh()
                say("saved \(Int(tokens.issuedAt.timeIntervalSince1970 * 1_000_000))")
            } catch {
                say(error)
                if (error as? OAuthError)?.disposition == .signInAgain { return }
            }
        }
    }
}
