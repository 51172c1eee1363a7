import CarnetDescriptors
import Testing

@testable import CarnetLint

/// What the linter says about a parameter is what the catalogue of requests says.
@Suite("The parameters of requests") struct RequestRulesTests {
    private static let kinds = RequestKind.allCases.filter { $0 != .pushedAuthorization }

    private func codes(_ kind: RequestKind, _ rules: String) -> [String] {
        let path = kind.section.split(separator: ".")
        let section = path.count == 1 ? "\(path[0]): \(rules)\n" : "\(path[0]): { \(path[1]): \(rules) }\n"
        // With an ID token, whose nonce Carnet sends.
        let text = "scopes: { default: [openid] }\n" + section
        let report = Linter().lint(files: [MarkedExample(completing: text).file(named: "acme.yaml")])
        return report.diagnostics.map(\.code).filter { $0.hasPrefix("C00") }
    }

    @Test("Every parameter can be renamed", arguments: kinds)
    func renaming(in kind: RequestKind) {
        // No standard defines a parameter of the profile, so the section has no names.
        guard !kind.parameterNames.isEmpty else { return }
        for name in kind.parameterNames {
            #expect(codes(kind, "{ rename: { \(name): their_name } }") == [], "\(name)")
        }
        #expect(codes(kind, "{ rename: { acme_parameter: their_name } }") == ["C007"])
    }

    @Test("A parameter can be added where the engine leaves room for it", arguments: kinds)
    func adding(to kind: RequestKind) {
        for parameter in kind.parameters {
            let name = parameter.name.rawValue
            let refusal = parameter.name.isPerAttempt ? "C004" : "C003"
            let found = codes(kind, "{ parameters: { \(name): a.b } }")
            #expect(found == (parameter.rule == .settable ? [] : [refusal]), "\(name)")
        }
    }

    @Test("A parameter that is omitted can be replaced, but for what protects the sign-in", arguments: kinds)
    func replacing(in kind: RequestKind) {
        for parameter in kind.parameters {
            let name = parameter.name.rawValue
            let found = codes(kind, "{ omit: [\(name)], parameters: { \(name): a.b } }")
            switch parameter.rule {
            case .settable: #expect(found == [], "\(name)")
            case .replaceable: #expect(found == (parameter.name.isPerAttempt ? ["C004"] : []), "\(name)")
            case .protected: #expect(found.contains("C005"), "\(name)")
            case .keyed where parameter.name == .grantType: #expect(found == [], "\(name)")
            case .keyed, .carrier: #expect(found == ["C003"], "\(name)")
            }
        }
    }
}
