import Carnet
import CarnetDescriptors
import CarnetStorage

/// Why there is no account of a provider: nobody is signed in, or only at the other place, which is a sandbox or the
/// provider itself.
struct MissingAccount {
    let provider: ProviderID
    let connector: Connector
    let context: CommandContext

    /// What to throw: it names the command that finds the account or signs in.
    func error() async -> NobodySignedIn {
        let isSandbox = connector.sandbox != nil
        let stores = UserStore(context.environment)
        let elsewhere = await accounts(in: stores, ofSandbox: !isSandbox)
        let login = "carnet login \(provider)\(connector.sandboxOption)"
        let names = elsewhere.joined(separator: ", ")
        let noun = elsewhere.count == 1 ? "account" : "accounts"
        let verb = elsewhere.count == 1 ? "is" : "are"
        let detail = Failure.Detail(name: "provider", text: provider.rawValue)
        guard !elsewhere.isEmpty else {
            let place = isSandbox ? " at a sandbox" : ""
            return NobodySignedIn(
                failure: Failure(
                    .failed, "nobody is signed in to \(provider)\(place)", details: [detail], next: ["run \(login)"]))
        }
        guard !isSandbox else {
            let summary = "the only \(noun) of \(provider) \(verb) at the provider, not at a sandbox: \(names)"
            return NobodySignedIn(
                failure: Failure(.failed, summary, details: [detail], next: ["remove --sandbox, or run \(login)"]),
                isSignedInElsewhere: true)
        }
        let option = "--sandbox \(stores.lastSandbox ?? "ADDRESS")"
        var next = [context.commandLine(adding: option) ?? "add \(option)"]
        if stores.lastSandbox == nil { next.append("ADDRESS is what carnet sandbox prints") }
        let summary = "the only \(noun) of \(provider) \(verb) at a sandbox: \(names)"
        next.append("or sign in at the provider: \(login)")
        return NobodySignedIn(
            failure: Failure(.failed, summary, details: [detail], next: next), isSignedInElsewhere: true)
    }

    /// - Returns: Nothing if the store cannot be read: then it does not matter here.
    private func accounts(in stores: UserStore, ofSandbox isSandbox: Bool) async -> [String] {
        guard let store = try? stores.tokens(ofSandbox: isSandbox), let all = try? await store.inventory().accounts
        else { return [] }
        return all.filter { $0.provider.isSameBytes(as: provider.rawValue) }.map(\.account).sorted()
    }
}

/// There is no account. A sign-out has nothing to do then, unless there is one at the other place.
struct NobodySignedIn: Error {
    let failure: Failure
    var isSignedInElsewhere = false
}
