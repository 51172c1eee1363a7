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
        for key in old.authorization.offlineParameters.names.map({ ["offline_parameters", $0] }) + [
            ["rename", "scope"]
        ] {
            compare(
                .requestedScopes, ["authorization"] + key,
                "a sign-in brings other rights, or no refresh token; keep it, or write the change under another id")
        }
        compare(
            .scope, ["scopes", "catalog"], "scope", lost: was.catalog.map(\.id), from: now.catalog.map(\.id),
            "programs request it by its name, and earlier grants have it; keep it while the provider knows it")
        let (earlier, later) = (was.implied, now.implied)
        for (index, entry) in now.catalog.enumerated() {
            let implied = earlier([entry.id]).subtracting(later([entry.id]))
            guard !implied.isEmpty else { continue }
            report(
                .scope, ["scopes", "catalog", "\(index)"],
                "the scope \(entry.id) no longer implies \(implied.sorted().inWords)",
                "earlier grants of \(entry.id) no longer cover it, and users are asked again; keep it in implies")
        }
    }

    /// - Parameter key: The key of `scopes` that requests them.
    private mutating func compareRequested(_ key: String, _ was: [String], _ now: [String]) {
        let requested = new.scopes.implied(now)
        // The default is what everybody means who names nothing.
        let place = ["scopes"] + key.split(separator: ".", maxSplits: 1).map(String.init)
        compare(
            .requestedScopes, place, "requested scope", lost: was, from: Array(requested),
            "programs that call what it opens fail after the next sign-in; keep it, or write the change under another id"
        )
        let granted = old.scopes.implied(was).union(new.scopes.implied(was))
        let added = now.filter { !granted.contains($0) }
        guard !added.isEmpty else { return }
        let list =
            key == "default" && !new.scopes.defaults.contains { added.contains($0) } ? ["scopes", "required"] : place
        report(
            .requestedScopes, list, "requested scope\(added.count == 1 ? " is" : "s are") new: \(added.inWords)",
            "earlier grants do not cover it, and an application that may not request it is refused; put it into scopes.catalog alone, and let the host request it"
        )
    }

    mutating func compareResources() {
        func keys(_ entry: ResourceEntry, _ method: ResourceMethod, _ version: ResolvedVersion?) -> [ByteKey] {
            [entry.url.source, version?.url(entry.url)].compactMap { $0.map { ByteKey("\(method.rawValue) \($0)") } }
        }
        let all = new.resources.enumerated().flatMap { index, entry in
            entry.methods.all.flatMap { keys(entry, $0, resolved?.new) }.map { ($0, index) }
        }
        let indices = Dictionary(all, uniquingKeysWith: min)
        let found = old.resources.map { entry in
            entry.methods.all.map { keys(entry, $0, resolved?.old).compactMap { indices[$0] }.min() }
        }
        let gone = zip(old.resources, found).filter { $1.allSatisfy { $0 == nil } }.map(\.0)
        let implied = new.scopes.implied
        let ids = Set(new.resources.compactMap(\.id).map(ByteKey.init))
        if !gone.isEmpty {
            report(
                .resource, ["resources"],
                "resource\(gone.count == 1 ? " is" : "s are") gone: \(gone.map(\.label).inWords)",
                "programs that call it by URL or id fail; keep it while the API has it")
        }
        for (entry, indices) in zip(old.resources, found) {
            for (method, index) in zip(entry.methods.all, indices) {
                guard let index else {
                    if indices.contains(where: { $0 != nil }) {
                        report(
                            .resource, ["resources"],
                            "the resource \(entry.label) has no method \(method.rawValue) any more",
                            "programs that send such a request fail; keep the method")
                    }
                    continue
                }
                let (path, now) = (["resources", "\(index)"], new.resources[index])
                if let need = now.stricter(than: entry, in: implied) {
                    report(
                        .resource, path, "the resource \(now.label) needs \(need), which it did not need",
                        "requests with earlier grants are refused; add the new need as an alternative in any_of, or as a resource of its own"
                    )
                }
                guard method == entry.methods.first else { continue }
                func texts(_ entry: ResourceEntry) -> [String] {
                    entry.headers.items.map { "\($0.name.lowercased()): \($0.value)" }
                }
                let known = Set(texts(now).map(ByteKey.init))
                let headers = texts(entry).filter { !known.contains(ByteKey($0)) }
                if !headers.isEmpty {
                    report(
                        .resource, path + ["headers"],
                        "the resource \(now.label) no longer has the header \(headers.inWords)",
                        "programs that call it send another request; keep the header while the API takes it")
                }
                if let id = entry.id, !ids.contains(ByteKey(id)) {
                    report(
                        .resource, path, "the id of the resource \(now.label) was \(id) and is \(now.id ?? "gone")",
                        "programs name the resource by its id; keep it")
                }
            }
        }
    }
}

extension ScopeRules {
    /// Scopes and all that they imply.
    fileprivate var implied: ([String]) -> Set<String> {
        let implied = Dictionary(catalog.map { (ByteKey($0.id), $0.implies) }, uniquingKeysWith: { first, _ in first })
        return { scopes in
            var all = Set(scopes)
            var next = scopes
            while let scope = next.popLast() {
                next += (implied[ByteKey(scope)] ?? []).filter { all.insert($0).inserted }
            }
            return all
        }
    }
}

extension ResourceEntry {
    fileprivate var label: String { "\(methods.first.rawValue) \(url.source)" }

    /// What the entry needs and an earlier version did not.
    ///
    /// - Parameter implied: Scopes with all that they imply.
    fileprivate func stricter(than old: ResourceEntry, in implied: ([String]) -> Set<String>) -> String? {
        if anonymous == nil, old.anonymous != nil { return "a token" }
        let always = old.allOf + [old.scope].compactMap { $0 }
        for choice in old.anyOf.isEmpty ? [[]] : old.anyOf.map({ [$0] }) {
            let granted = implied(always + choice)
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
