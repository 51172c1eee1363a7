// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import Foundation
import Testing

@testable import Fuzzing

/// What is read takes steps in proportion to its length, whatever is in it. The steps are counted, so that nothing depends
/// on the machine: see `Docs/decisions/linear-work.md`.
@Suite("COST: work that grows faster than the input", .searchedForSecrets, .enabled(if: Work.isCounting))
struct WorkAttackTests {
    /// The token that a server gave and the body that it responds with are both of its choice: `aaaa…b` in `aaaa…`.
    @Test("COST-01: Beginning of a secret")
    func COST_01_beginningOfASecret() throws {
        let entries = try EntryPoint.responses().filter { $0.name.hasSuffix(", \(CostlyJSON.beginningOfASecret)") }
        #expect(entries.count > 10)
        for entry in entries { try entry.expectLinearWork() }
    }

    /// The whole of the body that took minutes: it is refused for the length of its token.
    @Test("COST-01: Body that took minutes")
    func COST_01_bodyThatTookMinutes() throws {
        let acme = try FuzzProvider()
        let (token, rest) = (String(repeating: "a", count: 300_000) + "b", String(repeating: "a", count: 700_000))
        let body = #"{"access_token":"\#(token)","token_type":"Bearer","x":"\#(rest)"}"#
        let response = FuzzProvider.response(Array(body.utf8))
        let request = try acme.request()
        var error: OAuthError?
        let steps = Work.steps {
            error = #expect(throws: OAuthError.self) {
                _ = try TokenResponse(validating: response, to: request, from: acme.provider)
            }
        }
        #expect(error?.kind == .wrongFieldType)
        #expect(steps < 10 * body.utf8.count)
    }

    @Test("COST-02: JSON")
    func COST_02_JSON() throws {
        for entry in try EntryPoint.responses() { try entry.expectLinearWork() }
    }

    /// The standard library sorts a row of combining characters before it compares a text, with the square of its length. So
    /// none comes as far as that, and the row that is allowed is short.
    @Test("COST-03: Combining characters")
    func COST_03_combiningCharacters() throws {
        let row = String(repeating: "\u{301}\u{327}", count: 15)
        let limit = "\(String.longestCombiningRow) combining characters"
        #expect(try JSONValue(parsing: "{\"a\(row)\":\"\(row)\"}").object?.members.count == 1)
        for text in ["{\"a\(row)\u{301}\":1}", "[\"\(row)\u{301}\"]", #"["\#(row)\u0301"]"#] {
            let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
            #expect(error?.reason.contains(limit) == true)
        }
        let encoded = String(repeating: "%CC%81%CC%A7", count: 15)
        #expect(PercentEncoding.decodeForm("a\(encoded)=\(encoded)")?.count == 1)
        for form in ["a\(encoded)%CC%81=1", "a=\(encoded)%CC%81", "a=1&b=\(encoded)%CC%81"] {
            #expect(PercentEncoding.decodeForm(form) == nil)
        }
        for yaml in ["name: A\(row)\u{301}\n", "name: \"A\(row)\\u0301\"\n", "A\(row)\u{301}: x\n"] {
            let found = DescriptorDocument(SourceFile(path: "acme.yaml", text: yaml)).diagnostics
            #expect(found.contains { $0.code == "D015" && $0.message.contains(limit) }, "\(found)")
        }
    }

    /// A megabyte of them at each entry: one comparison of such a text would take a minute.
    @Test("COST-03: Endless row", .timeLimit(.minutes(5)))
    func COST_03_endlessRow() throws {
        let acme = try FuzzProvider()
        let marks = String(repeating: "\u{301}\u{327}", count: 250_000)
        let request = try acme.request()
        for body in ["{\"sub\":\"u\",\"a\(marks)\":1}", "{\"error\":\"a\(marks)\"}", "{\"iss\(marks)\":\"\(marks)\"}"] {
            let response = FuzzProvider.response(Array(body.utf8), type: "application/json")
            #expect(throws: OAuthError.self) {
                try Profile(validating: response, to: request, from: acme.provider, subject: "u")
            }
            #expect(throws: OAuthError.self) { try ProviderMetadata(validating: response, for: acme.resolved) }
            #expect(RedactedResponse(response, to: request).body.utf8.count < 100)
        }
        let response = FuzzProvider.response(
            Array("{}".utf8), type: "a\(marks)/json", challenge: "Bearer a\(marks)=\(marks)")
        #expect(throws: OAuthError.self) {
            try Profile(validating: response, to: request, from: acme.provider, subject: "u")
        }
        #expect(throws: OAuthError.self) {
            try BackChannelLogoutRequest.logoutToken(in: [], mediaType: "a\(marks); charset=x")
        }
    }

    @Test("COST-04: Forms")
    func COST_04_forms() throws {
        for entry in try EntryPoint.forms() + EntryPoint.cookies() { try entry.expectLinearWork() }
    }

    @Test("COST-05: Challenges")
    func COST_05_challenges() throws {
        for entry in try EntryPoint.challenges() { try entry.expectLinearWork() }
    }

    @Test("COST-06: Tokens")
    func COST_06_tokens() throws {
        for entry in try EntryPoint.tokens() { try entry.expectLinearWork() }
    }

    @Test("COST-06: Many keys")
    func COST_06_manyKeys() throws {
        let acme = try FuzzProvider()
        let key = acme.keySet.dropFirst(#"{"keys":["#.count).dropLast(2)
        func keys(_ count: Int) -> IncomingResponse {
            let list = Array(repeating: String(key), count: count).joined(separator: ",")
            return FuzzProvider.response(Array(#"{"keys":[\#(list)]}"#.utf8))
        }
        _ = try JSONWebKeySet(validating: keys(100))
        let error = #expect(throws: OAuthError.self) { try JSONWebKeySet(validating: keys(101)) }
        #expect(error?.kind == .malformedKeys)
    }

    @Test("COST-07: Endless tokens")
    func COST_07_endlessTokens() async throws {
        let long = String(repeating: "a", count: ReceivedLimit.token + 1)
        try await refuse(.tokenRequest, .wrongFieldType, each: ["access_token", "refresh_token"]) {
            $0.token[$1] = .string(long)
        }
        let encrypted = String(repeating: "a", count: ReceivedLimit.encryptedToken + 1)
        try await refuse(.tokenRequest, .wrongFieldType) { $0.token["id_token"] = .string(encrypted) }
        let scopes = String(repeating: "scope ", count: ReceivedLimit.scope / 6 + 1)
        try await refuse(.tokenRequest, .wrongFieldType) { $0.token["scope"] = .string(scopes) }
        try await refuse(.tokenRequest, .wrongFieldType) {
            $0.token["authorization_details"] = [["type": .string(String(repeating: "x", count: 1 << 16))]]
        }
        try await refuse(.callback, .malformedCallback) {
            $0.callback[0].value = String(repeating: "c", count: ReceivedLimit.code + 1)
        }
    }

    /// Empty groups become no step of the program, so that its length was no limit: 64^8 times nothing.
    @Test("COST-08: Nested counts")
    func COST_08_nestedCounts() throws {
        func nested(_ inner: String, _ count: String, _ depth: Int) -> String {
            (0..<depth).reduce(inner) { text, _ in "(?:\(text))\(count)" }
        }
        for pattern in [
            nested("", "{64}", 9), nested("(?:)(?:)(?:)", "{999}", 9), nested("", "+", 15), nested("|", "{2}", 9),
            nested("a?", "{16}", 4), nested("(?:)a", "{32}", 3), "(?:){1000}{1000}", nested("^$", "{9}", 9),
        ] {
            var steps = 0
            do throws(TemplateError) {
                let compiled = try ValuePattern(pattern)
                steps = compiled.compilationSteps
                #expect(compiled.steps(matching: "aaaa") < 10_000, "\(pattern)")
            } catch {
                #expect(!error.reason.isEmpty)
            }
            #expect(steps < 5_000, "\(pattern)")
        }
        let pattern = nested("", "{64}", 9)
        #expect(pattern.utf8.count < 80)
        #expect(try ValuePattern(pattern).matches(""))
        #expect(try !ValuePattern(pattern).matches("a"))
    }

    @Test("COST-08: Descriptor with such a pattern")
    func COST_08_descriptorWithSuchAPattern() {
        let pattern = (0..<9).reduce("") { text, _ in "(?:\(text)){64}" }
        let yaml = Fixture.openID + "inputs: { tenant: { pattern: '\(pattern)', example: acme } }\n"
        let found = DescriptorDocument(SourceFile(path: "acme.yaml", text: yaml)).diagnostics
        #expect(found.isEmpty, "\(found)")
    }

    @Test("COST-10: Defaults that double", arguments: [true, false])
    func COST_10_defaultsThatDouble(isReversed: Bool) throws {
        let doubled = (1..<32).map { "  a\($0): { type: text, default: '{a\($0 - 1)}{a\($0 - 1)}' }\n" }
        let inputs = (isReversed ? doubled.reversed() : doubled).joined()
        let descriptor = try Fixture.descriptor(
            Fixture.openID + "inputs:\n  a0: { type: text, default: x }\n" + inputs)
        let error = #expect(throws: ResolutionError.self) { try descriptor.resolve() }
        #expect(error?.key == (isReversed ? "inputs.a31" : "inputs.a11"), "a value has at most 1024 bytes")
        // One byte, doubled 18 times, is as long as a string of a file may be.
        #expect(descriptor.defaultInputs([:]).count == 19)
        #expect(descriptor.defaultInputs([:])["a18"]?.utf8.count == YAMLLimits().maximumScalarBytes)
    }

    /// Inputs are matched by the same engine as what comes at run time.
    @Test(
        "COST-09: Value that goes back and forth",
        arguments: ["(a+)+b", "(a|aa)*b", "(.*)(.*)(.*)(.*)b", "(a?){30}a{30}b"])
    func COST_09_valueThatGoesBackAndForth(pattern: String) throws {
        let descriptor = try Fixture.descriptor(
            Fixture.openID + "inputs: { tenant: { pattern: '\(pattern)', optional: true } }\n")
        func steps(_ length: Int) -> Int {
            Work.steps {
                #expect(throws: ResolutionError.self) {
                    try descriptor.resolve(inputs: ["tenant": String(repeating: "a", count: length)])
                }
            }
        }
        let (few, many) = (steps(100), steps(800))
        #expect(few > 100)
        #expect(many < 10 * few)
        #expect(many < 3 * 200 * 801)
    }

    /// An issuer with places for a tenant is such a pattern too, and anybody can send a callback or a logout.
    @Test("COST-09: Issuer with places")
    func COST_09_issuerWithPlaces() throws {
        let acme = try FuzzProvider(
            """
            issuer_match:
              template: "https://id.acme.example/{a}-{b}-{c}-{d}/x"

            """)
        func steps(_ length: Int) -> Int {
            let issuer = "https://id.acme.example/" + String(repeating: "-", count: length)
            return Work.steps { #expect(!acme.provider.shared.acceptsIssuer(inCallback: issuer)) }
        }
        #expect(acme.provider.shared.acceptsIssuer(inCallback: "https://id.acme.example/1-2-3-4-5/x"))
        let (few, many) = (steps(200), steps(1600))
        #expect(few > 200)
        #expect(many < 10 * few)
    }
}
