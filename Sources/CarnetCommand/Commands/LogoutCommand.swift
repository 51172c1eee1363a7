import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetUserAgent

struct LogoutCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out: delete an account's tokens.",
        discussion: """
            The command always deletes the tokens from the store. The exit status is 1 if a request to the provider \
            failed. It is 0 if the provider has no revocation endpoint.

            Examples:
              carnet logout acme
              carnet logout acme --revoke --account alice@example.com
              carnet logout acme --everywhere
            """)

    /// How long a browser may take to start.
    private static let patience = Duration.seconds(30)

    @OptionGroup var account: AccountOptions

    @Flag(help: "Revoke the tokens at the provider first.") var revoke = false

    @Flag(help: "Like --revoke, and also end the provider's session in the browser.") var everywhere = false

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let console = context.console
        let place: AccountPlace
        let account: Account
        do {
            place = try await AccountPlace(self.account, context)
            do {
                account = try await Account(place)
            } catch let error as TokenStoreError where error.kind != .locked {
                return try await forget(place, because: error, console)
            }
        } catch let nobody as NobodySignedIn {
            return try finish(nobody, console)
        }
        let session = try await account.session()
        let extent: SignOut = everywhere ? .everywhere : revoke ? .revoke : .local
        let outcome = try await console.showing("signing out at the provider") { try await session.signOut(extent) }
        console.print("signed out \(account.name.printable)")
        let name = account.client.provider.name.printable
        if outcome.isRevoked {
            console.print("  the tokens are revoked at \(name)")
        } else if extent != .local, outcome.failures.isEmpty {
            console.print("  \(name) has no revocation endpoint: the tokens stay valid there until they expire")
        }
        var failures = outcome.failures.map { ProviderFailure(entry: account.entry).explain($0) }
        var isSessionEnded = false
        if let url = outcome.endSessionURL {
            // It carries the ID token, so it is opened and never printed.
            let browser = Presentation.systemBrowser(withholding: place.connector.secretVariables)
            isSessionEnded =
                (try? await browser.present(place.connector.shownURL(url.reveal()), within: Self.patience)) ?? false
            if !isSessionEnded {
                failures.append(
                    Failure(
                        .failed, "sign-out: the browser cannot be opened", next: ["sign out on the provider's own site"]
                    )
                )
            }
        }
        console.print(
            json: account.json + [
                "revoked": .bool(outcome.isRevoked), "session_ended": .bool(isSessionEnded),
                "failures": .array(failures.compactMap { $0.json["error"] }),
            ])
        for failure in failures { console.note(failure) }
        if revoke || everywhere, !outcome.isRevoked, !failures.isEmpty {
            console.warn("the tokens are removed here; the provider may accept them until they expire")
        }
        // A missing sign-out page is no failure: the tokens are deleted from the store.
        let isComplete = outcome.failures.allSatisfy { $0.kind == .missingEndpoint && $0.step == .signOut }
        guard isComplete, failures.count == outcome.failures.count else { throw ExitStatus.failed }
    }

    /// Nobody is signed in already, as after a first sign-out. An account at the other place is not meant.
    private func finish(_ nobody: NobodySignedIn, _ console: Console) throws {
        guard !nobody.isSignedInElsewhere else { throw nobody.failure }
        console.print(nobody.failure.summary.printable)
        console.print(json: [
            "provider": .string(account.provider), "account": nil, "revoked": false, "session_ended": false,
            "failures": [],
        ])
    }

    /// A record that cannot be decrypted is useless, and would block the next sign-in.
    private func forget(_ place: AccountPlace, because error: TokenStoreError, _ console: Console) async throws {
        try await place.connector.store.remove(place.key)
        console.warn("no token was revoked: \(error.reason.printable)")
        console.print("signed out \(place.key.account.printable)")
        console.print(
            json: place.key.json + ["revoked": false, "session_ended": false, "failures": .list([error.reason])])
        if revoke || everywhere { throw ExitStatus.failed }
    }
}
