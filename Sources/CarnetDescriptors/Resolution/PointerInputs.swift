import CarnetFoundation

extension ProviderDescriptor {
    /// The same with the examples of inputs in its pointers, if they are known.
    package var withExamplesInPointers: ProviderDescriptor {
        let resolver = try? InputResolver(self, values: exampleInputs())
        return (try? resolver?.fillingPointers(of: self)) ?? self
    }
}

extension InputResolver {
    /// The descriptor with the inputs in its pointers: the operator of a generic server chooses which member identifies a
    /// user.
    func fillingPointers(of descriptor: ProviderDescriptor) throws(ResolutionError) -> ProviderDescriptor {
        let places = descriptor.profile.claims.items + descriptor.profile.requests.flatMap(\.claims.items)
        guard !rules.isEmpty || places.contains(where: \.value.takesInputs) else { return descriptor }
        var filled = descriptor.shared.value
        try fill(&filled.profile.root, "profile.root")
        try fill(&filled.profile.claims, "profile.claims")
        for index in filled.profile.requests.indices {
            try fill(&filled.profile.requests[index].root, "profile.requests.\(index).root")
            try fill(&filled.profile.requests[index].claims, "profile.requests.\(index).claims")
        }
        try fill(&filled.token.response, "token.response")
        return ProviderDescriptor(filled)
    }

    private func fill(_ response: inout ResponseRules, _ key: String) throws(ResolutionError) {
        try fill(&response.root, "\(key).root")
        for field in ResponseFields.all { try fill(&response.fields[keyPath: field].pointers, "\(key).fields") }
        if var field = response.success.field {
            try fill(&field.pointers, "\(key).success.field")
            response.success.field = field
        }
        response.capture = NamedList(
            try response.capture.items.map { capture throws(ResolutionError) in
                var capture = capture
                try fill(&capture.value.pointers.pointers, "\(key).capture.\(capture.name)")
                return capture
            })
    }

    private func fill(_ claims: inout NamedList<ClaimPlace>, _ key: String) throws(ResolutionError) {
        claims = NamedList(
            try claims.items.map { claim throws(ResolutionError) in
                Named(
                    claim.name,
                    try claim.value.changing({ pointers throws(ResolutionError) in
                        var pointers = pointers
                        try fill(&pointers, "\(key).\(claim.name)")
                        return pointers
                    }) { conditions throws(ResolutionError) in
                        try conditions.collect { condition throws(ResolutionError) in
                            try filled(condition.value, "\(key).\(claim.name).where.\(condition.name)")
                                .map { Named(condition.name, $0) }
                        }
                    })
            })
    }

    /// The condition with the inputs in it; `nil` if it uses only optional inputs that have no value.
    private func filled(_ condition: ClaimCondition, _ key: String) throws(ResolutionError) -> ClaimCondition? {
        guard !condition.isFixed else { return condition }
        let texts = try condition.templates.collect { template throws(ResolutionError) in
            try fill(template, key: key)
        }
        let isLeftOut = condition.templates.allSatisfy { template in
            template.inputNames.contains { value(of: $0) == nil }
        }
        return isLeftOut ? nil : ClaimCondition(filled: texts)
    }

    private func fill(_ pointers: inout [JSONPointer], _ key: String) throws(ResolutionError) {
        pointers = try pointers.collect { pointer throws(ResolutionError) in try filled(pointer, key) }
    }

    private func fill(_ pointer: inout JSONPointer, _ key: String) throws(ResolutionError) {
        pointer = try filled(pointer, key) ?? .whole
    }

    /// The pointer with the inputs in it; `nil` if it uses an optional input that has no value.
    private func filled(_ pointer: JSONPointer, _ key: String) throws(ResolutionError) -> JSONPointer? {
        var tokens: [String] = []
        for token in pointer.tokens {
            // Other braces are those of a member's name.
            guard token.holds(UInt8(ascii: "{")), let template = try? Template(token) else {
                tokens.append(token)
                continue
            }
            guard let text = try fill(template, key: key) else { return nil }
            guard text.hasPrefix("/"), template.parts.count == 1 else {
                tokens.append(text)
                continue
            }
            guard let inner = JSONPointer(text) else {
                throw error(.badInput, key, "the value of \(token) is neither the name of a member nor a JSON Pointer")
            }
            tokens += inner.tokens
        }
        return JSONPointer(tokens: tokens)
    }
}
