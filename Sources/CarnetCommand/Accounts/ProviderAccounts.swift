import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
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
        let login = "carnet login \(provider)\(connector.givenOptions)"
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

extension Connector {
    /// How many records are named.
    private static let limit = 10

    /// Checks that there are no records that cannot be opened and do not show whose they are. With one, nobody can say
    /// that nobody is signed in.
    ///
    /// - Throws: `Failure`.
    func requireNone(_ damaged: [TokenStoreError], perhapsOf provider: ProviderID) throws {
        guard let first = damaged.first else { return }
        var failure = Failure(first)
        failure.details.append(Failure.Detail(name: "provider", text: provider.rawValue))
        if damaged.count > 1 { failure.summary += " (and \(damaged.count - 1) more; see carnet accounts)" }
        failure.next =
            damaged.prefix(Self.limit).compactMap(\.remedy) + ["then run carnet login \(provider)\(givenOptions)"]
        throw failure
    }

    /// - Returns: `nil` if there is no record.
    /// - Throws: `TokenStoreError`, with the command that removes a record that cannot be opened.
    func load(_ key: ConnectionKey) async throws -> Connection? {
        do {
            return try await store.load(key)?.connection
        } catch var error as TokenStoreError where error.kind == .unreadable {
            error.remedy =
                error.remedy ?? "carnet logout \(key.provider) --account \(key.account.shellWord)\(givenOptions)"
            throw error
        }
    }

    /// Finds a record that cannot be opened and may be that of the account, before anyone is asked to sign in.
    ///
    /// - Throws: `TokenStoreError`; `Failure`.
    func requireReadableRecords(of provider: ProviderID, account: String?) async throws {
        if let account {
            _ = try await load(ConnectionKey(provider: provider.rawValue, account: account))
            return
        }
        let inventory = try await store.inventory()
        if inventory.accounts(of: provider).isEmpty { try requireNone(inventory.damaged, perhapsOf: provider) }
    }
}
