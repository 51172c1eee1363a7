import CarnetDescriptors
import CarnetProtocol

extension OAuthClient {
    /// The descriptor's derived and looked-up values, beside those that are known.
    ///
    /// - Parameters:
    ///   - choosing: Called if a lookup finds several candidates.
    ///   - save: Gets the values as soon as they are known, and what is not there any more.
    func connecting(
        _ known: ConnectionValues, of tokens: TokenSet, at provider: DiscoveredProvider,
        within bounds: CredentialBounds,
        provedBy dpopKey: Secret?, choosing: ConnectionChooser?,
        saving save: @Sendable ([String: ConnectionValue], [TemplateReference]) async throws -> Void
    ) async throws -> [String: ConnectionValue] {
        let rules = provider.connection
        var collected = known
        func requests() -> ConnectionRequest { self.requests(at: provider, with: collected, tokens: tokens) }
        var underived = rules.derive.names
        /// Derives what needs no value of the lookups that are still to be made.
        func derive(before lookups: ArraySlice<Named<LookupRules>>) throws {
            var awaited = Set(lookups.flatMap(\.references))
            underived = try underived.filter { name in
                if rules.derive[name]?.template.references.contains(where: awaited.contains) == true {
                    awaited.insert(TemplateReference(.connection, name))
                    return true
                }
                if let value = try requests().derived(name) { collected.values["connection.\(name)"] = value }
                return false
            }
        }
        try derive(before: rules.lookups.items[...])
        try await save(collected.values, [])
        for (index, lookup) in rules.lookups.items.enumerated() {
            let (made, values) = (requests(), collected)
            let (incoming, request) = try await send(
                within: bounds.hiding { values.secrets }, provedBy: dpopKey, accessToken: tokens.accessToken
            ) { try made.call(lookup.value.call, key: "connection.lookups.\(lookup.name)") }
            let choice = try ConnectionChoice(
                validating: incoming, to: request, of: lookup, where: made.conditions(lookup.value))
            guard let choice else {
                for reference in lookup.references { collected.values[reference.description] = nil }
                try await save([:], lookup.references)
                try derive(before: rules.lookups.items[(index + 1)...])
                continue
            }
            var value = try choice.value(by: lookup.value.choice)
            if value == nil { value = try await choosing?(choice) }
            guard let value, let found = choice.values(choosing: value) else {
                throw OAuthError(
                    .connection, .choiceNeeded,
                    "the lookup \"\(lookup.name)\" found \(choice.candidates.count) candidates, and none was chosen",
                    descriptorKey: "connection.lookups.\(lookup.name).choose")
            }
            collected.values.merge(found) { _, new in new }
            try await save(found, [])
            try derive(before: rules.lookups.items[(index + 1)...])
        }
        // The remaining values use a value that no key provides.
        for name in underived { _ = try requests().derived(name) }
        if !rules.derive.isEmpty, !rules.lookups.isEmpty { try await save(collected.values, []) }
        return collected.values
    }
}
