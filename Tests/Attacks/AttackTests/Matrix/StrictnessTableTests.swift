import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import Foundation
import Testing

/// Sends every field of every response in the forms that real servers use, and writes what comes of it to
/// `Docs/strictness.md`. With `CARNET_UPDATE_DOCS=1` in the environment the page is written anew.
@Suite("The strictness of reading", .searchedForSecrets)
struct StrictnessTableTests {
    /// One form of a field.
    private enum Form: String, CaseIterable {
        case absent, null, empty
        case otherType = "other type"
        case list = "in a list"
        case otherCase = "upper case"

        /// - Returns: `nil` if the form is the field as it was, or none of its type.
        func change(_ value: JSONValue) -> JSONValue?? {
            switch (self, value) {
            case (.absent, _): .some(nil)
            case (.null, _): .some(.null)
            case (.empty, .string): .some("")
            case (.empty, .array): .some([])
            case (.otherType, .number(let digits)): .some(.string(digits))
            case (.otherType, .bool(let value)): .some(.string("\(value)"))
            case (.otherType, .string): .some(5)
            case (.otherType, .array(let list)): list.first.map { .some($0) }
            case (.list, .string), (.list, .number), (.list, .bool): .some([value])
            case (.otherCase, .string(let text))
            where text.uppercased() != text && !text.hasPrefix("{") && text.utf8.count < 100:
                .some(.string(text.uppercased()))
            default: nil
            }
        }
    }

    /// A response whose members are changed.
    private struct Response: Sendable {
        let title: String
        let flow: Flow
        let path: any WritableKeyPath<Script, JSONValue> & Sendable
    }

    private static let responses = [
        Response(title: "Metadata", flow: .signIn, path: \.metadata.json),
        Response(title: "Key", flow: .signIn, path: \.firstKey),
        Response(title: "Token response", flow: .signIn, path: \.token.json),
        Response(title: "ID token", flow: .signIn, path: \.idToken.allClaims),
        Response(title: "Refresh response", flow: .refresh, path: \.refresh.json),
        Response(title: "Userinfo response", flow: .signIn, path: \.userinfo.json),
        Response(title: "Device authorization response", flow: .device, path: \.device.json),
    ]

    /// What comes of a changed script: nothing, or the kind of the error.
    private func outcome(_ flow: Flow, _ change: (inout Script) -> Void) async -> String {
        do {
            _ = try await flow.run(Scenario(), change)
            return "accepted"
        } catch let error as OAuthError {
            return "`\(error.kind.rawValue)`"
        } catch {
            return "\(type(of: error))"
        }
    }

    private func rows(of response: Response) async throws -> [String] {
        var script = Script()
        response.flow.server(&script)
        let members = try #require(script[keyPath: response.path].object).members
        var lines = [
            "", "## \(response.title)", "",
            "| member | " + Form.allCases.map(\.rawValue).joined(separator: " | ") + " |",
            "|---" + String(repeating: "|---", count: Form.allCases.count) + "|",
        ]
        var groups: [(cells: [String], names: [String])] = []
        for member in members {
            var cells: [String] = []
            for form in Form.allCases {
                guard let changed = form.change(member.value) else {
                    cells.append("–")
                    continue
                }
                cells.append(
                    await outcome(response.flow) { script in
                        var object = script[keyPath: response.path].object ?? JSONObject()
                        object[member.name] = changed
                        script[keyPath: response.path] = .object(object)
                    })
            }
            let name = "`\(member.name)`"
            if let index = groups.firstIndex(where: { $0.cells == cells }) {
                groups[index].names.append(name)
            } else {
                groups.append((cells, [name]))
            }
        }
        lines += groups.map { "| \($0.names.joined(separator: ", ")) | \($0.cells.joined(separator: " | ")) |" }
        let reversed = await outcome(response.flow) { script in
            let members = script[keyPath: response.path].object?.members ?? []
            script[keyPath: response.path] = .object(JSONObject(members: members.reversed()))
        }
        let extended = await outcome(response.flow) { script in
            var object = script[keyPath: response.path].object ?? JSONObject()
            object["x_unknown"] = ["a": [1, .null, "x"]]
            script[keyPath: response.path] = .object(object)
        }
        guard [reversed, extended] != ["accepted", "accepted"] else { return lines }
        return lines + ["", "Members in another order: \(reversed). Unknown members: \(extended)."]
    }

    private static let tolerances = [
        (
            accepted: "any status from 200 to 299",
            reason: "only the server at the endpoint chooses the status, and the body is validated as with 200",
            row: "INT-32"
        ),
        (
            accepted: "a JSON object of any content type",
            reason:
                "the body comes from the requested URL over TLS; the page of a network or a proxy is no JSON object, and Carnet executes nothing",
            row: "INT-33"
        ),
        (
            accepted: "an empty string for a missing member",
            reason:
                "no member may be empty by its standard, and the rule for a missing member applies: required ones are refused",
            row: "INT-34"
        ),
        (
            accepted: "a redirect of a GET of metadata or keys in the same origin",
            reason:
                "the request has no credential, and the origin could have sent the document itself; the issuer is compared afterwards",
            row: "INT-35"
        ),
        (
            accepted: "an ID token that names this client twice in `aud`",
            reason: "the same client is no further audience", row: "IDT-05"
        ),
        (
            accepted:
                "metadata with one method of client authentication in place of a list, or with `scope` in the authorization endpoint",
            reason: "the list could name the method; the scopes of the request count", row: "DISC-06"
        ),
        (
            accepted: "more than 100 scopes of a resource",
            reason: "none of them is requested", row: "PR-09"
        ),
        (
            accepted: "a signed profile of any content type",
            reason: "the signature decides", row: "UI-04"
        ),
        (
            accepted: "a GET sent again on a new connection, if no byte of a response arrived",
            reason:
                "the same request goes to the same server; requests with a code or a refresh token are never sent again",
            row: "INT-36"
        ),
        (
            accepted: "the only key of a type without an id; keys in base64 with padding",
            reason:
                "the set is the provider's own, and the sender of a token chooses its key id anyway; the signature decides",
            row: "INT-37"
        ),
        (
            accepted: "`use_dpop_nonce` with any status",
            reason: "the request is repeated once, to the same server, with a new proof", row: "INT-38"
        ),
        (
            accepted: "a repeated member with the same value",
            reason: "every parser reads the same from it; different values are refused", row: "INT-39"
        ),
        (
            accepted: "the refresh token of a refused response, if its ID token names the same issuer and subject",
            reason:
                "it came from the token endpoint in response to the session's own refresh token; nothing else of the response is kept",
            row: "INT-40"
        ),
        (
            accepted: "values in the response to a registration that nobody requested",
            reason: "they are not used: no secret, method, algorithm or address comes from them", row: "INT-41"
        ),
        (
            accepted: "401 or 403 instead of 404 at a well-known place of a resource",
            reason: "the next place is of the same origin, and its document is compared as always", row: "INT-42"
        ),
        (
            accepted: "a resource that demands a token, and has no metadata",
            reason:
                "the endpoints `/authorize`, `/token` and `/register` are at its origin, which could have stated them itself",
            row: "PR-37"
        ),
        (
            accepted: "the slash after the origin of an authorization server that a resource names",
            reason: "both are one URL (RFC 3986, section 6.2.3), and the metadata says which of them is the issuer",
            row: "INT-43"
        ),
        (
            accepted: "an ID token of a resource's authorization server without the scope `openid`, or none with it",
            reason: "it is dropped, names nobody, and is kept nowhere; the access token needs none", row: "INT-44"
        ),
        (
            accepted: "an authorization server that a resource names twice, or a resource that names none",
            reason: "the same server twice is no choice; without one, the origin is asked, as without the document",
            row: "INT-45"
        ),
        (
            accepted: "metadata that announces no method of PKCE",
            reason:
                "the challenge (S256) is always sent, and many servers that check it announce none; `state`, and `nonce` or `iss`, do not depend on it",
            row: "INT-05"
        ),
    ]

    @Test("is the table of the page")
    func table() async throws {
        var lines = [
            "# Strictness",
            "",
            "For readers who want to know how Carnet reacts to responses that deviate from the standards. Each row has members of a",
            "response, and each column a deviation, for example that the member is absent. The cell is the result of a sign-in or",
            "refresh with such a response: `accepted` if the whole flow succeeds, otherwise the [kind of the error](errors.md).",
            "Members in another order and unknown members are accepted, unless a section says otherwise.",
            "",
            "The tests write this page. They run each flow with a server that changes one member.",
            "",
            "## Tolerances",
            "",
            "Further accepted deviations, beside [those of the security page](security.md#accepted-deviations), with the row of the attacks",
            "that tests each.",
            "",
            "| accepted | why it gives an attacker nothing | row |",
            "|---|---|---|",
        ]
        lines += Self.tolerances.map { "| \($0.accepted) | \($0.reason) | \($0.row) |" }
        for response in Self.responses { lines += try await rows(of: response) }
        let page = lines.joined(separator: "\n") + "\n"
        let file = Repository.root.appending(path: "Docs/strictness.md")
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try Data(page.utf8).write(to: file)
        }
        let written = try? String(contentsOf: file, encoding: .utf8)
        #expect(written == page, "Docs/strictness.md is not current: run with CARNET_UPDATE_DOCS=1")
    }
}

extension Script {
    /// The first key of the set.
    fileprivate var firstKey: JSONValue {
        get { keys["keys"]?.array?.first ?? .null }
        set { keys["keys"] = [newValue] }
    }
}

extension Token {
    fileprivate var allClaims: JSONValue {
        get { .object(claims) }
        set { claims = newValue.object ?? JSONObject() }
    }
}
