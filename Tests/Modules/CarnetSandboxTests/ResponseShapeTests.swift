import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import HTTPTypes
import Testing

@Suite("The shape of token responses")
struct ResponseShapeTests {
    @Test("keeps a sample's own members and puts the values at the descriptor's pointers")
    func nested() async throws {
        let client = try TestClient(
            plain + """
                scopes: { default: [a, b], separator: "," }
                token:
                  response:
                    root: /data
                    fields: { access_token: [/token, /accessToken], expires_in: /ttl, scope: /permissions }
                samples:
                  token:
                    status: 0
                    data: { accessToken: "[redacted]", ttl: "7200", permissions: [x], open_id: user-1 }

                """)
        let reply = try await client.exchange().json
        #expect(reply["status"] == 0)
        let data = try #require(reply["data"])
        #expect(data["open_id"] == "user-1")
        #expect(data["permissions"] == ["a", "b"])
        #expect(data["ttl"] == "7200")
        #expect(data["accessToken"]?.string != "[redacted]")
        #expect(data["token"] == nil)
        #expect(data["refresh_token"] == nil)
        #expect(data["token_type"] == nil)
    }

    @Test(
        "gives an access token the form of the sample's",
        arguments: [
            ("id.17", "id[.][0-9]{24}"), ("xoxb-AB12-cd", "xoxb-[A-Z]{2}[0-9]{2}-[a-z]{20}"), ("abcdefgh", "[a-z]{24}"),
            ("x", "[A-Za-z0-9_-]{43}"), ("'[redacted]'", "[A-Za-z0-9_-]{43}"),
        ])
    func tokenForm(sample: String, pattern: String) async throws {
        let client = try TestClient(plain + "samples: { token: { access_token: \(sample), token_type: Bearer } }\n")
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        #expect(try Regex(pattern).wholeMatch(in: token) != nil, "\(token)")
    }

    @Test("has the ID token of a sample that was recorded without the scope openid")
    func unrequestedIDToken() async throws {
        let sample = "samples: { token: { access_token: x, token_type: Bearer, id_token: redacted } }\n"
        let token = try await TestClient(plain + sample).exchange().json["id_token"]?.string
        #expect(token?.split(separator: ".").count == 3)
        let dropped = try await TestClient(plain + sample + "id_token: { none: Nobody documents the issuer. }\n")
            .exchange().json["id_token"]?.string
        #expect(dropped == "not.an.id-token")
    }

    @Test("reads a sample that is a text as the body that it is")
    func textSample() async throws {
        let client = try TestClient(
            plain + """
                token: { response: { format: form } }
                samples: { token: 'access_token=x&token_type=bearer&login=ada%20example' }

                """)
        let form = String(decoding: try await client.exchange().body, as: UTF8.self)
        #expect(form.hasSuffix("&token_type=bearer&login=ada%20example"), "\(form)")
    }

    @Test(
        "sends the profile of a sample that is a text as it is, also one that the descriptor cannot read",
        arguments: [
            ("claims: { subject: /userid }", "<user userid=\"U1\"/>"),
            ("claims: { subject: /id }", "id=7&name=Ada"),
            ("claims: { subject: /id }", "{ \"id\": 7 }"),
            ("format: form, claims: { subject: /id }", "id=7&name=Ada%20Example"),
            ("format: jsonp, claims: { subject: /id }", "callback( {\"id\": 7} );"),
        ])
    func textProfile(profile: String, body: String) async throws {
        let client = try TestClient(
            plain + """
                  userinfo: https://plain.example/me
                profile: { \(profile) }
                samples: { userinfo: '\(body)' }

                """)
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        #expect(try await client.get(client.endpoint(.userinfo), bearer: token).text == body)
    }

    @Test("puts a subject where the text of a sample has one taken out")
    func redactedTextProfile() async throws {
        let client = try TestClient(
            plain + """
                  userinfo: https://plain.example/me
                profile: { claims: { subject: /id } }
                samples: { userinfo: '{"id":"[redacted]","name":"Ada"}' }

                """)
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        let profile = try await client.get(client.endpoint(.userinfo), bearer: token).json
        #expect(![nil, "[redacted]", ""].contains(profile["id"]?.string))
        #expect(profile["name"] == "Ada")
    }

    @Test("sends the browser back with what the sample of a callback has beyond the standard's parameters")
    func callbackSample() async throws {
        let client = try TestClient(
            acme + """
                callback: { rename: { code: auth_code } }
                samples: { callback: { auth_code: x, state: x, realm: 12, shop: a.example } }

                """)
        let callback = try await client.callback()
        #expect(callback["realm"] == "12")
        #expect(callback["shop"] == "a.example")
        #expect(callback["auth_code"]?.isEmpty == false)
        #expect(callback["auth_code"] != "x")
        #expect(callback["state"] == "state é+&=%")
    }

    @Test("leaves out what the sample of a refresh leaves out, and then keeps the refresh token")
    func refreshShape() async throws {
        let client = try TestClient(
            acme + """
                samples:
                  token: { access_token: x, refresh_token: x, id_token: x, expires_in: 100, token_type: bearer }
                  refresh: { access_token: x, expires_in: 200, token_type: bearer }

                """)
        let tokens = try await client.exchange().json
        #expect(tokens["token_type"] == "bearer")
        #expect(tokens["scope"] == nil)
        let refreshToken = try #require(tokens["refresh_token"]?.string)
        for _ in 1...2 {
            let refreshed = try await client.refresh(refreshToken).json
            #expect(refreshed.object?.members.map(\.name) == ["access_token", "expires_in", "token_type"])
            #expect(refreshed["expires_in"] == 200)
        }
    }

    @Test("refuses a refresh token after the lifetime that the sample states")
    func refreshTokenLifetime() async throws {
        let client = try TestClient(
            acme + """
                samples:
                  token: { access_token: x, refresh_token: x, token_type: bearer, refresh_token_expires_in: 600 }
                  refresh: { access_token: x, token_type: bearer }

                """)
        let tokens = try await client.exchange().json
        #expect(tokens["refresh_token_expires_in"] == 600)
        let refreshToken = try #require(tokens["refresh_token"]?.string)
        client.clock.advance(by: 599)
        #expect(try await client.refresh(refreshToken).json["access_token"] != nil)
        client.clock.advance(by: 1)
        #expect(try await client.refresh(refreshToken).json["error"] == "invalid_grant")
    }

    @Test("refuses a refresh token after the lifetime that only the descriptor says, also if it was used")
    func documentedRefreshTokenLifetime() async throws {
        let client = try TestClient(
            acme + """
                token: { response: { default_refresh_token_expires_in: 600 } }
                samples:
                  token: { access_token: x, refresh_token: x, token_type: bearer }
                  refresh: { access_token: x, token_type: bearer }

                """)
        let refreshToken = try #require(try await client.exchange().json["refresh_token"]?.string)
        client.clock.advance(by: 599)
        #expect(try await client.refresh(refreshToken).json["access_token"] != nil)
        client.clock.advance(by: 1)
        #expect(try await client.refresh(refreshToken).json["error"] == "invalid_grant")
    }

    @Test("states no lifetime of a refresh token that it does not issue")
    func lifetimeOfNoRefreshToken() async throws {
        let client = try TestClient(
            acme + """
                authorization: { offline_parameters: { access_type: offline } }
                samples: { token: { access_token: x, refresh_token: x, refresh_token_expires_in: 600 } }

                """)
        let code = try await client.callback(["access_type": nil])["code"]
        #expect(try await client.exchange(code: code).json["refresh_token_expires_in"] == nil)
    }

    @Test("leaves a refresh token out that was not asked for, although the sample has one")
    func sampleWithRefreshToken() async throws {
        let client = try TestClient(provider: builtInProvider("google"))
        let code = try await client.callback(["access_type": nil])["code"]
        #expect(try await client.exchange(code: code).json["refresh_token"] == nil)
        #expect(try await client.exchange().json["refresh_token"] != nil)
    }

    @Test("names the scopes when they are fewer than asked for, whatever the sample says")
    func narrowedScope() async throws {
        let client = try TestClient(acme + "samples: { token: { access_token: x, refresh_token: x } }\n")
        let tokens = try await client.exchange().json
        #expect(tokens["scope"] == nil)
        let refreshToken = try #require(tokens["refresh_token"]?.string)
        #expect(try await client.refresh(refreshToken, ["scope": "openid"]).json["scope"] == "openid")
    }

    @Test("responds with a form where the descriptor says so")
    func formResponse() async throws {
        let client = try TestClient(plain + "token: { response: { format: form } }\n")
        let reply = try await client.exchange()
        #expect(reply.head.headerFields[.contentType] == "text/html; charset=utf-8")
        #expect(formValues(reply.text)["access_token"]?.isEmpty == false)
        #expect(formValues(reply.text)["expires_in"] == "3600")
        #expect(formValues(try await client.exchange(["code": "x"]).text)["error"] == "invalid_grant")
    }

    @Test("puts errors where the descriptor says, over the sample")
    func errorShape() async throws {
        let client = try TestClient(
            plain + """
                token: { response: { errors: { error: /fault/code, error_description: /fault/text } } }
                samples:
                  error: { fault: { code: x, text: x, hint: look }, trace: 7 }

                """)
        let reply = try await client.exchange(["code": "x"])
        #expect(reply.status == 400)
        #expect(reply.json["fault"]?["code"] == "invalid_grant")
        #expect(reply.json["fault"]?["hint"] == "look")
        #expect(reply.json["trace"] == 7)
    }

    @Test("lets an access token live as long as the response says")
    func lifetime() async throws {
        let client = try TestClient(acme + "samples: { token: { access_token: x, expires_in: 100 } }\n")
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        let userinfo = try await client.endpoint(.userinfo)
        client.clock.advance(by: 99)
        #expect(try await client.get(userinfo, bearer: token).status == 200)
        client.clock.advance(by: 1)
        #expect(try await client.get(userinfo, bearer: token).challenge?.contains("error=\"invalid_token\"") == true)
    }

    @Test("makes a JWT where the sample's access token is one")
    func accessTokenJWT() async throws {
        let client = try TestClient(acme + "samples: { token: { access_token: eyJh.eyJz.sig } }\n")
        let token = try #require(try await client.exchange().json["access_token"]?.string)
        let jwt = try JWT(token)
        #expect(jwt.header["typ"] == "at+jwt")
        #expect(jwt.claims["client_id"]?.string == client.registration.clientID)
        #expect(jwt.claims["scope"] == "openid profile email")
        #expect(try await client.get(client.endpoint(.userinfo), bearer: token).status == 200)
    }

    @Test("holds the profile where the descriptor takes it from the token response")
    func profileInResponse() async throws {
        let client = try TestClient(
            plain + """
                profile: { from: token, root: /user, claims: { subject: /id, name: /nick } }
                samples: { token: { access_token: x, user: { id: 7, nick: ada, level: 3 } } }

                """,
            options: SandboxOptions(approval: .automatic(.other)))
        let user = try await client.exchange().json["user"]
        #expect(user == ["id": 100_200_300, "nick": "Björk Ångström", "level": 3])
    }

    /// `{"alg":"none"}` and `{"sub":"u-1","iss":"x","nonce":"old","tenant":"t-9","org":{"id":4}}`.
    private static let sampleJWT =
        "eyJhbGciOiJub25lIn0."
        + "eyJzdWIiOiJ1LTEiLCJpc3MiOiJ4Iiwibm9uY2UiOiJvbGQiLCJ0ZW5hbnQiOiJ0LTkiLCJvcmciOnsiaWQiOjR9fQ."

    @Test("has the claims of the sample's tokens in its own, but for those of one sign-in")
    func claimsOfSampleTokens() async throws {
        let client = try TestClient(
            acme
                + "samples: { token: { access_token: \(Self.sampleJWT), token_type: Bearer, id_token: \(Self.sampleJWT) } }\n"
        )
        let reply = try await client.exchange().json
        for token in ["access_token", "id_token"] {
            let claims = try JWT(try #require(reply[token]?.string)).claims
            #expect(claims["tenant"] == "t-9", "\(token)")
            #expect(claims["org"] == ["id": 4], "\(token)")
            #expect(claims["sub"] == "u-1", "\(token)")
            #expect(claims["iss"] != "x" && claims["exp"] != nil, "\(token)")
        }
        #expect(try JWT(try #require(reply["id_token"]?.string)).claims["nonce"] != "old")
    }

    @Test("keeps the form of an ID token that the client drops, without a signature")
    func droppedIDToken() async throws {
        let client = try TestClient(
            plain + """
                id_token: { none: Nobody documents the issuer. }
                samples: { token: { access_token: x, token_type: Bearer, id_token: \(Self.sampleJWT) } }

                """)
        let token = try #require(try await client.exchange().json["id_token"]?.string)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        #expect(parts.count == 3 && parts[2].isEmpty)
        #expect(try JWT(token).claims["tenant"] == "t-9")
    }

    @Test("adds what may be missing to a sample, not what a sign-in needs; without a sample, both")
    func keptValues() async throws {
        let rules = """
            token:
              response:
                capture:
                  need: { from: /need, example: n1 }
                  site: { from: /site, example: s1, optional: true }

            """
        let sampled = try await TestClient(
            acme + rules + "samples: { token: { access_token: x, token_type: Bearer } }\n"
        ).exchange().json
        #expect(sampled["need"] == nil && sampled["site"] == "s1")
        let made = try await TestClient(acme + rules).exchange().json
        #expect(made["need"] == "n1" && made["site"] == "s1")
    }

    @Test("leaves null in a sample as it is")
    func nullInSample() async throws {
        let client = try TestClient(
            acme + """
                token: { response: { capture: { site: { from: /site, example: s1, optional: true } } } }
                profile: { claims: { name: [/nick, /name] } }
                samples:
                  token: { access_token: x, token_type: Bearer, id_token: x, refresh_token: null, site: null }
                  userinfo: { sub: '7', nick: null, name: '[redacted]', email: null }

                """)
        let reply = try await client.exchange().json
        #expect(reply["refresh_token"] == .null)
        #expect(reply["site"] == .null)
        let token = try #require(reply["access_token"]?.string)
        let profile = try await client.get(client.endpoint(.userinfo), bearer: token).json
        #expect(profile == ["sub": "7", "nick": .null, "name": "Ada Example", "email": .null])
    }
}
