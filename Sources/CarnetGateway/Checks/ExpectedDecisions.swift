package import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// A file of requests, each with the decision that is expected.
package struct ExpectedDecisions: Sendable {
    /// One request of the file.
    package struct Row: Sendable {
        package fileprivate(set) var request = CheckedGatewayRequest()
        fileprivate(set) var sender = CheckedSender.nobody
        /// `allowed`, `refused` or the raw value of an outcome.
        package fileprivate(set) var expected = ""
        /// The identity headers that must have these values.
        fileprivate(set) var headers = NamedList<String>()
        package fileprivate(set) var line = 1
    }

    package private(set) var rows: [Row] = []
    fileprivate var accounts = NamedList<CheckedAccount>()

    /// - Throws: `GatewayFileMistake`.
    package init(_ file: SourceFile) throws(GatewayFileMistake) {
        let document = YAMLReader().read(file)
        var decoder = DescriptorDecoder(file: file.path)
        let content = document.root.flatMap { root in
            root.elements == nil
                ? ExpectedDecisions(root, &decoder)
                : [Row](root, &decoder).map { rows in
                    var content = ExpectedDecisions(at: root)
                    content.rows = rows
                    return content
                }
        }
        if let content {
            for row in content.rows {
                guard case .account(let name, let span) = row.sender, !content.accounts.contains(name) else { continue }
                let nearest = nearestName(to: name, in: content.accounts.names + ["nobody"])
                decoder.report(
                    .valueNotAllowed, "no account is called \"\(name)\"", at: span,
                    help: nearest.map { "did you mean \"\($0)\"?" } ?? "add it to accounts, or write its values here")
            }
        }
        let found = (document.diagnostics + decoder.diagnostics).sorted()
        guard found.isEmpty, let content else { throw GatewayFileMistake(file: file, diagnostics: found) }
        self = content
    }

    /// Whether a tree is meant to be a file of requests with expected decisions.
    static func fits(_ root: YAMLNode) -> Bool {
        if let rows = root.elements { return rows.first?.entry("request") != nil }
        return root.entry("requests") != nil && root.entry("carnet") == nil
    }

    package func decision(of row: Row, by gateway: Gateway) -> GatewayDecision {
        let identity: GatewayIdentity?
        switch row.sender {
        case .nobody: identity = nil
        case .values(let account): identity = account.identity(in: gateway)
        case .account(let name, _): identity = accounts[name]?.identity(in: gateway)
        }
        return gateway.decide(row.request.forwarded, as: identity)
    }
}

extension ExpectedDecisions: GatewaySection {
    init(at node: YAMLNode) {}

    static let keys: [Key<Self>] = [
        Key("accounts", \.accounts, "accounts by a name that you choose"),
        Key("requests", \.rows, isRequired: true, "the requests"),
    ]
}

extension ExpectedDecisions.Row: GatewaySection {
    init(at node: YAMLNode) { line = node.firstLine }

    private static let outcomes = ["allowed", "refused"] + GatewayDecision.Outcome.allCases.dropFirst().map(\.rawValue)

    static let keys: [Key<Self>] = [
        Key(
            "request", text: .request, \.request, isRequired: true,
            "a method and a URL, such as GET https://apps.example/"),
        Key("as", \.sender, "an account of accounts, its values, or nobody; default: nobody"),
        Key("expect", .choice(outcomes), "the decision", isRequired: true) { node, row, decoder in
            guard let text = node.scalar?.text, outcomes.contains(text) else {
                decoder.reportNotAllowed(node, allowed: outcomes)
                return
            }
            row.expected = text
        },
        Key("headers", \.headers, "identity headers with the values that they must have"),
    ]

    /// Why a decision is not the expected one; `nil` if it is.
    package func difference(from decision: GatewayDecision) -> String? {
        let word = decision.isAllowed ? "allowed" : "refused"
        guard expected == word || expected == decision.outcome.rawValue else {
            return "expected \(expected): \(decision.reason)"
        }
        for header in headers.items {
            let value = decision.headers.first { $0.name.rawName.asciiLowercased == header.name.asciiLowercased }?.value
            guard let value, value.isSameBytes(as: header.value) else {
                return "expected \(header.name): \(header.value), not \(value ?? "no such header")"
            }
        }
        return nil
    }
}

/// Who sends an expected request.
enum CheckedSender: Sendable {
    case nobody
    case account(String, at: SourceSpan)
    case values(CheckedAccount)
}

extension CheckedSender: GatewayValue {
    static var shape: Shape { .either([.text("nobody, or the name of an account"), CheckedAccount.shape]) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let name = node.scalar, !name.isNull else {
            guard let account = CheckedAccount(node, &decoder) else { return nil }
            self = .values(account)
            return
        }
        self = name.text == "nobody" ? .nobody : .account(name.text, at: node.span)
    }
}

/// A request that somebody made up to check a decision.
package struct CheckedGatewayRequest: Sendable {
    package let method: String
    package let url: String
    package let forwarded: ForwardedRequest

    /// Stands for a request that is missing, in a file that cannot be used.
    fileprivate init() {
        (method, url) = ("", "")
        forwarded = .unset
    }

    /// - Parameter url: Absolute; every byte of its path stays as it is.
    /// - Throws: `GatewayFileMistake`.
    package init(method: String, url: String) throws(GatewayFileMistake) {
        guard let colon = url.firstRange(of: "://") else {
            throw GatewayFileMistake(reason: "\"\(url)\" is not an absolute URL such as https://apps.example/admin")
        }
        let rest = url[colon.upperBound...]
        let end = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let target = rest[end...]
        do throws(ForwardingProblem) {
            forwarded = try ForwardedRequest(
                method: method, scheme: String(url[..<colon.lowerBound]), host: String(rest[..<end]),
                target: target.isEmpty ? "/" : String(target))
        } catch {
            throw GatewayFileMistake(reason: "no proxy sends \(method) \(url)")
        }
        self.method = method
        self.url = url
    }
}

extension ForwardedRequest {
    fileprivate static var unset: ForwardedRequest {
        guard let request = try? ForwardedRequest(method: "GET", scheme: "https", host: "gateway.invalid", target: "/")
        else { preconditionFailure("it is a request") }
        return request
    }
}

extension TextKind<CheckedGatewayRequest> {
    fileprivate static let request = TextKind("a method and a URL") { text throws(TextProblem) in
        let parts = text.utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        let help = "write GET https://apps.example/admin"
        guard parts.count == 2 else { throw TextProblem(message: "\"\(text)\" is not a request", help: help) }
        do throws(GatewayFileMistake) {
            return try CheckedGatewayRequest(method: parts[0], url: parts[1])
        } catch {
            throw TextProblem(message: error.reason, help: help)
        }
    }
}
