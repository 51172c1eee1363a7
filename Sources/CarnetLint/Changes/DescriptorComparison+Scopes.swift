import CarnetDescriptors
import CarnetFoundation

extension DescriptorComparison {
    mutating func compareScopes() {
        let (was, now) = (old.scopes, new.scopes)
        let (before, after) = (was.required + was.defaults, now.required + now.defaults)
        compareRequested("default", before, after)
        // Those of a program that names others.
        compareRequested(
            "required", was.required.filter(after.containsBytes), now.required.filter(before.containsBytes))
        compareRequested("offline", was.offline, now.offline)
        for name in was.extra.names + now.extra.names.filter({ !was.extra.contains($0) }) {
            compareRequested("extra.\(name)", was.extra[name] ?? [], now.extra[name] ?? [])
        }
        for key in old.authorization.offlineParameters.names.map({ "offline_parameters.\($0)" }) + ["rename.scope"] {
            compare(
                .requestedScopes, "authorization.\(key)",
                "a sign-in brings other rights, or no refresh token; keep it, or write the change under another id")
        }
        compare(
            .scope, ["scopes", "catalog"], "scope", lost: was.catalog.map(\.id), from: now.catalog.map(\.id),
            "programs request it by its name, and earlier grants have it; keep it while the provider knows it")
        for (index, entry) in now.catalog.enumerated() where was.catalog.contains(where: { $0.id == entry.id }) {
            let implied = was.implied(by: [entry.id]).subtracting(now.implied(by: [entry.id]))
            guard !implied.isEmpty else { continue }
            report(
                .scope, ["scopes", "catalog", "\(index)"],
                "the scope \(entry.id) no longer implies \(implied.sorted().inWords)",
                "earlier grants of \(entry.id) no longer cover it, and users are asked again; keep it in implies")
        }
    }

    /// - Parameter key: The key of `scopes` that requests them.
    private mutating func compareRequested(_ key: String, _ was: [String], _ now: [String]) {
        let requested = new.scopes.implied(by: now)
        // The default is what everybody means who names nothing.
        let place = ["scopes"] + key.split(separator: ".", maxSplits: 1).map(String.init)
        compare(
            .requestedScopes, place, "requested scope", lost: was, from: Array(requested),
            "programs that call what it opens fail after the next sign-in; keep it, or write the change under another id"
        )
        let granted = old.scopes.implied(by: was).union(new.scopes.implied(by: was))
        let added = now.filter { !granted.contains($0) }
        guard !added.isEmpty else { return }
        let list =
            key == "default" && !new.scopes.defaults.contains { added.contains($0) } ? ["scopes", "required"] : place
        report(
            .requestedScopes, list,
            "requested scope\(added.count == 1 ? " is" : "s are") new: \(added.inWords)",
            "earlier grants do not cover it, and an application that may not request it is refused; put it into scopes.catalog alone, and let the host request it"
        )
    }

    /// The new entry for the same request, with its index.
    private func newEntry(of entry: ResourceEntry, _ method: ResourceMethod) -> (Int, ResourceEntry)? {
        let url = resolved?.old.url(entry.url)
        return new.resources.enumerated().first {
            $1.methods.all.contains(method) && ($1.url == entry.url || url != nil && resolved?.new.url($1.url) == url)
        }.map { ($0.offset, $0.element) }
    }

    mutating func compareResources() {
        let gone = old.resources.filter { entry in !entry.methods.all.contains { newEntry(of: entry, $0) != nil } }
        let ids = Set(new.resources.compactMap(\.id))
        if !gone.isEmpty {
            report(
                .resource, ["resources"],
                "resource\(gone.count == 1 ? " is" : "s are") gone: \(gone.map(\.label).inWords)",
                "programs that call it by URL or id fail; keep it while the API has it")
        }
        for entry in old.resources {
            for method in entry.methods.all {
                guard let (index, now) = newEntry(of: entry, method) else {
                    if !gone.contains(where: { $0.label == entry.label }) {
                        report(
                            .resource, ["resources"],
                            "the resource \(entry.label) has no method \(method.rawValue) any more",
                            "programs that send such a request fail; keep the method")
                    }
                    continue
                }
                let path = ["resources", "\(index)"]
                if let need = now.stricter(than: entry, in: new.scopes) {
                    report(
                        .resource, path, "the resource \(now.label) needs \(need), which it did not need",
                        "requests with earlier grants are refused; add the new need as an alternative in any_of, or as a resource of its own"
                    )
                }
                guard method == entry.methods.first else { continue }
                func texts(_ entry: ResourceEntry) -> [String] {
                    entry.headers.items.map { "\($0.name.lowercased()): \($0.value)" }
                }
                let headers = texts(entry).filter { !texts(now).containsBytes(of: $0) }
                if !headers.isEmpty {
                    report(
                        .resource, path + ["headers"],
                        "the resource \(now.label) no longer has the header \(headers.inWords)",
                        "programs that call it send another request; keep the header while the API takes it")
                }
                if let id = entry.id, !ids.contains(id) {
                    report(
                        .resource, path, "the id of the resource \(now.label) was \(id) and is \(now.id ?? "gone")",
                        "programs name the resource by its id; keep it")
                }
            }
        }
    }
}

extension ScopeRules {
    /// The scopes and all that they imply.
    fileprivate func implied(by scopes: [String]) -> Set<String> {
        var all = Set(scopes)
        var next = scopes
        while let scope = next.popLast() {
            for implied in catalog.first(where: { $0.id == scope })?.implies ?? []
            where all.insert(implied).inserted {
                next.append(implied)
            }
        }
        return all
    }
}

extension ResourceEntry {
    fileprivate var label: String { "\(methods.first.rawValue) \(url.source)" }

    /// What the entry needs and an earlier version did not.
    ///
    /// - Parameter scopes: What says which scope implies which.
    fileprivate func stricter(than old: ResourceEntry, in scopes: ScopeRules) -> String? {
        if anonymous == nil, old.anonymous != nil { return "a token" }
        let always = old.allOf + [old.scope].compactMap { $0 }
        for choice in old.anyOf.isEmpty ? [[]] : old.anyOf.map({ [$0] }) {
            let granted = scopes.implied(by: always + choice)
            if let missing = (allOf + [scope].compactMap { $0 }).first(where: { !granted.contains($0) }) {
                return "the scope \(missing)"
            }
            if !anyOf.isEmpty, !anyOf.contains(where: granted.contains) { return "one of \(anyOf.inWords)" }
        }
        for claim in claims.items where old.claims[claim.name].map({ !claim.value.values.accept($0.values) }) ?? true {
            return "a value of the claim \(claim.name)"
        }
        if !acr.isEmpty, old.acr.isEmpty || !acr.accept(old.acr) { return "another authentication context class" }
        if let age = maxAge?.seconds, age < old.maxAge?.seconds ?? Int.max {
            return "a sign-in of the last \(age) seconds"
        }
        return nil
    }
}

extension [String] {
    fileprivate func accept(_ others: [String]) -> Bool { Set(self).isSuperset(of: others) }
}
