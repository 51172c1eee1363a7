import CarnetDescriptors

extension ScopeRules {
    /// The wanted scopes that the granted ones neither name nor imply.
    func missing(_ wanted: [String], from granted: [String]) -> [String] {
        var effective = Set<String>()
        var open = granted
        while let scope = open.popLast() {
            guard effective.insert(scope).inserted else { continue }
            open += catalog.first { $0.id == scope }?.implies ?? []
        }
        return wanted.filter { !effective.contains($0) }
    }
}
