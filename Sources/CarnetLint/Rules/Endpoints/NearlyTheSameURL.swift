import CarnetDescriptors
import CarnetFoundation

struct NearlyTheSameURL: LintRule {
    let explanation = DiagnosticExplanation(
        "E043", name: "nearly-the-same-url", severity: .warning,
        summary: "A URL differs a little from another URL of the file, or from the URL that an environment replaces.",
        rationale: """
            Two paths that differ by one letter, or only by the version, are usually one path, and one of them is \
            misspelled or old. A constant in the place of an input is usually somebody's example. An environment usually has \
            the provider's paths, and one host for each of its hosts. An issuer is compared byte by byte, so a slash at its \
            end counts. A URL below 'api.base_url' does not repeat its path.
            """,
        bad: [
            "issuer: https://id.acme.example/\nenvironments: { test: { issuer: ⟦https://id.test.acme.example⟧ } }",
            """
            endpoints: { authorization: https://a.example/v2/authorize, token: https://a.example/token, jwks: https://a.example/jwks }
            environments:
              test: { endpoints: { authorization: ⟦https://t.example/v1/authorize⟧, token: ⟦https://t.example/tokne⟧, jwks: ⟦https://b.example/jwks⟧ } }
            """,
            "api: { base_url: https://a.example/v2 }\nconnection: { on_connect: [{ url: /photos }, { url: ⟦/photso⟧ }] }",
            "api: { base_url: https://a.example/v2 }\nconnection: { on_connect: [{ url: ⟦/v2/me⟧ }] }",
            "inputs: { tenant: {} }\nendpoints: { authorization: 'https://a.example/{tenant}/oauth/authorize', token: ⟦https://a.example/common/oauth/token⟧ }",
            "inputs: { site: { type: hostname } }\nendpoints: { authorization: 'https://{site}/login', token: 'https://{site}/token', userinfo: ⟦https://acme.example/me⟧ }",
        ],
        good: [
            "issuer: https://a.example/v2/oidc\nenvironments: { test: { issuer: https://b.example/v1/login } }",
            "api: { base_url: https://a.example }\nconnection: { on_connect: [{ url: /photos }, { url: /photo }] }",
            "inputs: { tenant: {} }\nendpoints: { authorization: 'https://a.example/{tenant}/authorize', token: https://a.example/api/token }",
            "inputs: { site: { type: hostname, default: acme.example } }\nendpoints: { authorization: 'https://{site}/login', token: 'https://{site}/token', userinfo: https://api.acme.example/me }",
            "inputs: { site: {} }\nendpoints: { authorization: 'https://{site}.acme.example/login', token: 'https://{site}.acme.example/token', userinfo: https://api.acme.example/me }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        neighbours(context) + constantHost(context) + context.variants.flatMap { replaced(by: $0, context) }
    }

    /// A profile at a constant host, beside endpoints whose whole host each customer chooses.
    private func constantHost(_ context: LintContext) -> [Diagnostic] {
        let all = context.urls.filter { $0.kind == .endpoint && !$0.host.isEmpty }
        guard let own = all.first(where: { $0.name == "endpoints.userinfo" }), !own.host.contains("{") else {
            return []
        }
        let others = all.filter { $0 !== own }
        guard others.count > 1, let host = others.first?.host, others.allSatisfy({ $0.host == host }),
            let input = context.descriptor.inputs.items.first(where: { host == "{\($0.name)}" })?.value,
            input.defaultValue == nil, input.allowed.isEmpty
        else { return [] }
        return findings(
            "\(own.name) is at \(own.host), and all other endpoints are at \(host)", in: context, at: own.node.span,
            help: "if both are meant, silence this with a comment and the reason")
    }

    /// Of very many URLs only the first are compared.
    private func neighbours(_ context: LintContext) -> [Diagnostic] {
        let base = context.urls.first { $0.name == "api.base_url" }
        let urls = context.urls.prefix(128).map { url in
            let above = url.takesBase && url.template?.source.hasPrefix("/") == true ? base : nil
            let start = above ?? url
            let isIssuers = start.continuesIssuer && start.template?.startsLate != true
            let (before, origin) = (above?.segments ?? [], isIssuers ? "{issuer}" : start.host)
            return (url: url, before: before, path: before + url.segments, origin: origin)
        }
        return urls.indices.compactMap { index in
            let (own, before, path, origin) = urls[index]
            if path.count > before.count, path[before.count].first != "{", before.last == path[before.count] {
                let message = "\(own.name) repeats \"\(path[before.count])\" of api.base_url"
                return finding(message, in: context, at: own.node.span, help: "remove it")
            }
            // An API may have both a list and one of its elements, or two versions.
            let isResource = own.name.hasPrefix("resources")
            for other in urls[..<index] where own.name == "endpoints.token" && other.origin == origin {
                guard other.url.name == "endpoints.authorization",
                    let lost = path.constant(inPlaceOfInputBeside: other.path)
                else { continue }
                let message = "\(own.name) has \"\(lost.own)\" where \(other.url.name) has \(lost.input)"
                return finding(
                    message, in: context, at: own.node.span,
                    help: "if both are meant, silence this with a comment and the reason")
            }
            for other in urls[..<index]
            where other.origin == origin && !(isResource && other.url.name.hasPrefix("resources")) {
                guard let slip = path.slip(beside: other.path, within: 1),
                    // Such as an endpoint `device` and the list `devices`.
                    !String(slip.own).isPlural(of: String(slip.other)),
                    !String(slip.other).isPlural(of: String(slip.own))
                else { continue }
                return finding(
                    "\(own.name) has \"\(slip.own)\" where \(other.url.name) has \"\(slip.other)\"", in: context,
                    at: own.node.span, help: "if both are meant, silence this with a comment and the reason")
            }
            return nil
        }
    }

    private func replaced(by variant: LintContext, _ context: LintContext) -> [Diagnostic] {
        let pairs = variant.urls.filter { url in
            ["issuer", "discovery_url", "endpoints.", "api."].contains(where: url.name.hasPrefix)
        }.compactMap { url in
            context.urls.first { $0.name == url.name && $0.node.span != url.node.span }.map { (own: url, base: $0) }
        }
        return pairs.compactMap { own, base in
            let (path, other) = (own.segments, base.segments)
            let isVersioned = path.last?.contains(where: \.isNumber) == true
            let last = isVersioned ? nil : path.suffix(1).slip(beside: other.suffix(1), within: 2)
            let slip = path.slip(beside: other, within: 2) ?? last
            let moved = pairs.filter { $0.base.host == base.host && $0.own.host != base.host }.map(\.own.host)
            let others = moved.filter { $0 != own.host }
            func report(_ text: String, _ meant: Substring) -> Diagnostic {
                let message = "the environment's \(own.name) \(text)"
                return finding(message, in: context, at: own.node.span, help: "did you mean \(meant)?")
            }
            if own.kind == .issuer, own.source.hasSuffix("/") != base.source.hasSuffix("/") {
                let (text, slash) = ("differs from the descriptor's in the slash at the end", own.source.hasSuffix("/"))
                return report(text, slash ? own.source.dropLast() : "\(own.source)/")
            }
            if let slip { return report("has \"\(slip.own)\" for \"\(slip.other)\"", slip.other) }
            let isAlone = others.count > 1 && moved.count == others.count + 1 && Set(others).count == 1
            guard isAlone, !base.host.isEmpty else { return nil }
            return report("is at \(own.host), unlike the other URLs of \(base.host)", others[0])
        }
    }
}

extension RandomAccessCollection<Substring> {
    /// The part that is an input in another path, if only the last part differs besides.
    fileprivate func constant(
        inPlaceOfInputBeside other: some RandomAccessCollection<Substring>
    ) -> (own: Substring, input: Substring)? {
        guard count == other.count, count > 2 else { return nil }
        let different = zip(self, other).dropLast().filter { $0 != $1 }
        guard different.count == 1, let (own, input) = different.first, input.first == "{", input.last == "}",
            !input.dropFirst().contains("{"), !own.contains("{")
        else { return nil }
        return (own, input)
    }

    /// The parts in which two paths differ, if it is one, and it is another version or misspelled.
    fileprivate func slip(
        beside other: some RandomAccessCollection<Substring>, within letters: Int
    ) -> (own: Substring, other: Substring)? {
        guard count == other.count else { return nil }
        let different = zip(self, other).filter { $0 != $1 }
        guard different.count == 1, let (own, other) = different.first else { return nil }
        let areWords = [own, other].allSatisfy { $0.utf8.count > 3 && $0.allSatisfy { !$0.isNumber && $0 != "{" } }
        let isNear = areWords && nearestName(to: String(own), in: [String(other)], within: letters) != nil
        // Such as v2, 2.0 or 2026-01.
        let areVersions = [own, other].allSatisfy { part in
            part.contains(where: \.isNumber) && part.contains { "v.-".contains($0) }
                && part.drop { $0 == "v" }.allSatisfy { $0.isNumber || ".-".contains($0) }
        }
        return isNear || areVersions ? (own, other) : nil
    }
}
