import Carnet
import CarnetDescriptors
import CarnetLint
import CarnetProtocol
import CarnetSandbox
import CarnetSimulation
import CarnetTesting
import Foundation
import Testing

/// Each form in which a provider says who signed in, for lint, the sandbox and the engine.
@Suite("Who signed in")
struct SubjectTests {
    private static let head = "carnet: 1\nid: odd\nname: Odd\n"
    private static let pages = """
        endpoints:
          authorization: https://odd.example/authorize
          token: https://odd.example/token

        """
    private static let userinfo = pages + "  userinfo: https://api.odd.example/me\n"
    private static let openID =
        "issuer: https://odd.example\nid_token: { algorithms: [ES256] }\nscopes: { default: [openid] }\n"
    private static let jwt = "eyJhbGciOiAibm9uZSJ9.eyJ1c2VySWQiOiAidS0xIn0."

    /// Those of which a sample says that the subject is `u-1`, in a `sub` of a token.
    private static let stated: [String] = [
        pages + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/sub')}\" } }\n"
            + "samples: { token: { access_token: \(standardJWT), token_type: Bearer } }\n",
        openID + sampleOfIDToken,
        openID + "discovery: none\n" + pages + "  jwks: https://odd.example/jwks\n" + sampleOfIDToken,
        openID + "profile: { derive: { subject: \"{jwt_claim(token.id_token, '/sub')}\" } }\n" + sampleOfIDToken,
    ]
    private static let standardJWT = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1LTEifQ."
    private static let sampleOfIDToken =
        "samples: { token: { access_token: '[redacted]', token_type: Bearer, id_token: \(standardJWT) } }\n"

    static let forms: [String] = [
        userinfo + "profile: { claims: { subject: /id } }\n",
        userinfo + "profile: { claims: { subject: /id } }\nsamples: { userinfo: { id: 7 } }\n",
        userinfo + "profile: { root: /data, claims: { subject: [/uid, /id] } }\n",
        userinfo + "profile: { claims: { subject: [], team: /team }, derive: { subject: \"t-{claim.team}\" } }\n"
            + "samples: { userinfo: { team: blue } }\n",
        pages + "profile: { from: token, claims: { subject: /user/id } }\n",
        pages + "profile: { from: token, claims: { subject: /user/id } }\n"
            + "samples: { token: { access_token: '[redacted]', token_type: Bearer, user: { id: 7 } } }\n",
        pages + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/userId')}\" } }\n",
        pages + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/userId')}\" } }\n"
            + "samples: { token: { access_token: \(jwt), token_type: Bearer } }\n",
        userinfo
            + "profile: { claims: { subject: [] }, derive: { subject: \"{jwt_claim(token.access_token, '/userId')}\" } }\n",
        pages + "token: { response: { capture: { uid: { from: /uid, example: u-1 } } } }\n"
            + "profile: { from: token, derive: { subject: \"{token.uid}\" } }\n",
        pages + "token: { response: { capture: { uid: { from: /uid, example: u-1 } } } }\n"
            + "profile: { from: token, derive: { subject: \"{token.uid}\" } }\n"
            + "samples: { token: { access_token: '[redacted]', token_type: Bearer, uid: u-1 } }\n",
        pages + "callback: { capture: { realm: { example: '41' } } }\n"
            + "profile: { from: token, derive: { subject: \"{callback.realm}\" } }\n",
        pages
            + "exchange: { who: { url: 'https://odd.example/who', brings: values, parameters: { token: '{token.access_token}' }, "
            + "capture: { uid: /uid }, sample: { uid: u-1 } } }\n"
            + "profile: { from: token, derive: { subject: \"{step.uid}\" } }\n",
        openID,
        openID + "profile: { from: id_token, claims: { subject: [/sub, /oid] } }\n",
        openID + "profile: { from: id_token, derive: { subject: \"{jwt_claim(token.id_token, '/sub')}\" } }\n",
    ]

    private func fixture(_ text: String, _ user: SandboxUser, _ store: MemoryTokenStore) throws -> SignInFixture {
        try SignInFixture(try descriptor(text), store: store, secret: "secret", user: user)
    }

    @Test("Two people have two accounts, and each part names the same person", arguments: stated + forms)
    func twoPeople(_ keys: String) async throws {
        let text = Self.head + keys
        let linter = Linter(simulator: SampleSimulator())
        let errors = linter.diagnostics(in: [SourceFile(path: "odd.yaml", text: text)]).filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors)")
        let store = MemoryTokenStore()
        var subjects: [String] = []
        for user in [SandboxUser.sample, .other] {
            let session = try await fixture(text, user, store).signIn()
            let stated = try #require(try await session.identity().subject)
            let profile = try await session.profile()
            #expect(profile.subject == stated)
            #expect(try await session.subject(with: profile) == stated)
            subjects.append(stated)
        }
        #expect(Set(subjects).count == 2, "\(subjects)")
        #expect(try await fixture(text, .sample, store).client.accounts().count == 2)
    }

    @Test("The person in the samples has the subject that a sample states", arguments: stated)
    func statedSubject(_ keys: String) async throws {
        let session = try await fixture(Self.head + keys, .sample, MemoryTokenStore()).signIn()
        #expect(try await session.identity().subject == "u-1")
        #expect(try await session.profile().subject == "u-1")
    }

    @Test("The sandbox invents no member beside what a derived subject reads")
    func nothingBeside() async throws {
        let text =
            Self.head + Self.pages
            + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/userId')}\" } }\n"
        for user in [SandboxUser.sample, .other] {
            let session = try await fixture(text, user, MemoryTokenStore()).signIn()
            #expect(try await session.profile().claims.map(\.name) == ["subject"])
        }
    }

    @Test("Where a derived subject is not that of the ID token, the error names what works")
    func otherDerivedSubject() async throws {
        let keys =
            "profile: { claims: { uid: /uid }, derive: { subject: '{claim.uid}' } }\nsamples: { userinfo: { sub: a, uid: b } }\n"
        let session = try await fixture(Self.head + Self.openID + keys, .sample, MemoryTokenStore()).signIn()
        let error = await #expect(throws: OAuthError.self) { _ = try await session.profile() }
        #expect(error?.kind == .subjectMismatch && error?.descriptorKey == "profile.derive.subject")
        let hint = error?.hint ?? ""
        #expect(hint.contains("profile.from: id_token") && hint.contains("id_token: { none: REASON }"), "\(hint)")
    }

    @Test("A subject that is made only where none was read could be another user's, and is refused")
    func subjectWhenMissing() throws {
        let keys =
            "profile: { claims: { subject: /id, team: /team }, "
            + "derive: { subject: { value: '{claim.team}', when_missing: true } } }\n"
        let odd = try descriptor(Self.head + Self.userinfo + keys)
        let error = #expect(throws: ResolutionError.self) { try odd.resolve() }
        #expect(error?.kind == .unprotected && error?.key == "profile.derive.subject.when_missing")
    }

    @Test(
        "A sign-in whose profile would name the account fails if the URL of the profile cannot be filled",
        arguments: [
            ("'{token.shard}/me'", "the host shard.example is not among trusted_hosts"),
            ("'https://api.odd.example/{token.site}/me'", "the value {token.site} is not known"),
        ])
    func unfilledURL(url: String, reason: String) async throws {
        let text =
            Self.head + Self.pages + "  userinfo: \(url)\n" + """
                token:
                  response:
                    capture:
                      shard: { from: /shard, example: 'https://shard.example' }
                      site: { from: /site, optional: true }
                trusted_hosts: [other.example]
                profile: { claims: { subject: /id } }
                """
        let store = MemoryTokenStore()
        let error = try await #require(throws: OAuthError.self) {
            try await fixture(text, .sample, store).signIn()
        }
        #expect(error.step == .profile && error.descriptorKey == "endpoints.userinfo")
        #expect(error.message.contains(reason), "\(error)")
        #expect(await store.keys().isEmpty)
    }

    @Test(
        "A sample that lacks what makes the subject is an error of lint",
        arguments: [
            pages + "profile: { from: token, derive: { subject: \"{jwt_claim(token.access_token, '/other')}\" } }\n"
                + "samples: { token: { access_token: \(jwt), token_type: Bearer } }\n",
            userinfo + "profile: { claims: { subject: [], team: /team }, derive: { subject: \"{claim.team}\" } }\n"
                + "samples: { userinfo: { name: Ann } }\n",
            userinfo + "profile: { claims: { subject: /id } }\nsamples: { userinfo: { uid: 7 } }\n",
        ])
    func missing(_ keys: String) {
        let linter = Linter(simulator: SampleSimulator())
        let found = linter.diagnostics(in: [SourceFile(path: "odd.yaml", text: Self.head + keys)])
        #expect(found.contains { $0.code == "T003" }, "\(found)")
    }
}
