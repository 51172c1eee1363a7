import Carnet
import CarnetDescriptors
import CarnetStorage

/// The accounts of a provider, and why there is none: nobody is signed in, or only at the other place, which is a sandbox or
/// the provider itself.
struct ProviderAccounts {
    let provider: ProviderID
    let connector: Connector
    let context: CommandContext

    /// At least one account.
    ///
    /// - Throws: `Failure` if records cannot be opened, so that one may be an account; `NobodySignedIn`.
    func keys() async throws -> [ConnectionKey] {
        let inventory = try await connector.store.inventory()
        let keys = inventory.accounts(of: provider)
        guard keys.isEmpty else { return keys }
        try connector.requireNone(inventory.damaged, perhapsOf: provider)
        throw await nobody()
    }

    /// What to throw without an account: it names the command that finds the account or signs in.
    func nobody() async -> NobodySignedIn {
        let isSandbox = connector.sandbox != nil
        let stores = UserStore(context.environment)
        // If the other store cannot be read, it does not matter here.
        let elsewhere = (try? await stores.tokens(ofSandbox: !isSandbox).inventory().accounts(of: provider)) ?? []
        let login = "carnet login \(provider)\(connector.sandboxOption)"
        func missing(_ summary: String, next: [String]) -> NobodySignedIn {
            NobodySignedIn(
                failure: Failure(
                    .failed, summary, details: [Failure.Detail(name: "provider", text: provider.rawValue)], next: next),
                isSignedInElsewhere: !elsewhere.isEmpty)
        }
        guard !elsewhere.isEmpty else {
            let place = isSandbox ? " at a sandbox" : ""
            return missing("nobody is signed in to \(provider)\(place)", next: ["run \(login)"])
        }
        let names = elsewhere.map(\.account).sorted().joined(separator: ", ")
        let (noun, verb) = elsewhere.count == 1 ? ("account", "is") : ("accounts", "are")
        let place = isSandbox ? "the provider, not at a sandbox" : "a sandbox"
        let summary = "the only \(noun) of \(provider) \(verb) at \(place): \(names)"
        guard !isSandbox else { return missing(summary, next: ["remove --sandbox, or run \(login)"]) }
        let option = "--sandbox \(stores.lastSandbox ?? "ADDRESS")"
        let explanation = stores.lastSandbox == nil ? ["ADDRESS is what carnet sandbox prints"] : []
        return missing(
            summary,
            next: [context.commandLine(adding: option) ?? "add \(option)"] + explanation
                + ["or sign in at the provider: \(login)"])
    }
}

/// There is no account. A sign-out has nothing to do then, unless there is one at the other place.
struct NobodySignedIn: Error {
    let failure: Failure
    var isSignedInElsewhere = false
}

extension StoreInventory {
    func accounts(of provider: ProviderID) -> [ConnectionKey] {
        accounts.filter { $0.provider.isSameBytes(as: provider.rawValue) }
    }
}
