import Foundation
import Testing

/// Shapes of descriptors on which lint, `try` and the engine have to agree.
@Suite("Judges")
struct JudgesTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private static let head = "carnet: 1\nid: acme\nname: Acme\n"
    private static let pages = """
        endpoints:
          authorization: https://id.acme.example/authorize
          token: https://id.acme.example/token

        """

    private func judge(_ text: String) async throws -> (lint: CommandResult, trial: CommandResult) {
        try home.write(Self.head + text, to: "acme.yaml")
        return (
            try await home.run("lint", "--simulate", "--fail-on", "never", "acme.yaml"),
            try await home.run("try", "acme.yaml")
        )
    }

    @Test(
        "What lint accepts, the engine signs in to",
        arguments: [
            (
                Self.pages
                    + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/userId')}\" } }\n"
                    + "samples: { token: { access_token: eyJhbGciOiAibm9uZSJ9.eyJ1c2VySWQiOiAidS0xIn0., token_type: Bearer } }\n",
                "subject u-1", "Ada Example"
            ),
            (
                Self.pages
                    + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/no-such')}\" } }\n",
                "no sample shows where the provider has the subject", "Ada Example"
            ),
            (
                Self.pages
                    + "  userinfo: /me\nprofile: { claims: { subject: /id } }\napi: { base_url: https://api.acme.example }\n",
                "https://api.acme.example/me", "failed"
            ),
            (
                Self.pages
                    + "  userinfo: /me\nprofile: { claims: { subject: /id }, requests: [{ url: /mail, claims: { email: /mail } }] }\n"
                    + "token: { response: { capture: { base: { from: /base, example: 'https://a.acme.example' } } } }\n"
                    + "trusted_hosts: ['*.acme.example']\napi: { base_url: '{token.base}' }\n",
                "https://a.acme.example/mail", "failed"
            ),
            (
                "endpoints: { token: https://id.acme.example/token }\nclient_credentials: {}\n",
                "Client credentials grant", "Callback"
            ),
            (
                "endpoints: { token: https://id.acme.example/token }\nprofile: { subject: { none: the client itself } }\n",
                "Client credentials grant", "Callback"
            ),
            (
                "endpoints: { token: https://id.acme.example/token }\nclient: { authentication: [client_secret_post] }\nclient_credentials: {}\n"
                    + "token: { omit: [grant_type], query_parameters: [client_id, client_secret] }\n",
                "Client credentials grant", "Callback"
            ),
            (
                "endpoints: { token: https://id.acme.example/token, device_authorization: https://id.acme.example/device }\n"
                    + "profile: { subject: { none: a device } }\n",
                "Sign-in on another device", "Callback"
            ),
            (
                Self.pages + "  userinfo: https://id.acme.example/me\n"
                    + "profile: { claims: { subject: /id }, success: { field: /errors, equals: [null] } }\n"
                    + "samples: { userinfo: { id: 1 } }\n",
                "Acme works", "failed"
            ),
        ])
    func agreed(_ text: String, _ shown: String, _ hidden: String) async throws {
        let (lint, trial) = try await judge(text)
        #expect(!lint.standardOutput.contains("error:"), "\(lint)")
        #expect(trial.status == 0, "\(trial)")
        #expect(trial.standardOutput.contains(shown) && !trial.standardOutput.contains(hidden), "\(trial)")
    }

    @Test(
        "What lint reports as an error, the command does not try",
        arguments: [
            (
                Self.pages.replacingOccurrences(of: "https://id.acme.example/token", with: "/token")
                    + "api: { base_url: https://api.acme.example }\n", "E002"
            ),
            ("endpoints: { token: https://id.acme.example/token }\n", "E008"),
            (
                Self.pages + "  userinfo: https://id.acme.example/me\nprofile: { claims: { subject: /encodedID } }\n"
                    + "samples: { userinfo: { encodedId: a1 } }\n", "T003"
            ),
            (Self.pages + "token: { headers: { Authorization: Basic } }\n", "C008"),
        ])
    func refused(_ text: String, _ code: String) async throws {
        let (lint, trial) = try await judge(text)
        #expect(lint.standardOutput.contains("[\(code)]"), "\(lint)")
        #expect(trial.status == 1 && trial.standardError.contains("[\(code)]"), "\(trial)")
    }

    @Test("A place of an input that is sent as it is written fails the trial, and lint names the key")
    func unfilledPlace() async throws {
        let (lint, trial) = try await judge(
            "inputs: { host: { type: hostname, example: a.acme.example } }\n" + Self.pages
                + "  userinfo: https://{host}/me\nauthorization: { response_type: '{host}' }\n")
        #expect(lint.standardOutput.contains("[K124]"), "\(lint)")
        #expect(trial.status == 1, "\(trial)")
    }

    @Test("One finding for a catalogue with gaps")
    func oneFinding() async throws {
        let (lint, _) = try await judge(
            Self.pages + "scopes: { default: [alpha, bravo, charlie, delta], catalog: [zulu] }\n")
        #expect(lint.standardOutput.components(separatedBy: "[S004]").count == 2, "\(lint)")
        #expect(lint.standardOutput.contains("nor are 3 more"), "\(lint)")
    }
}
