import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol
import Testing

@testable import CarnetSimulation

@Suite("Simulation")
struct SimulationTests {
    private func simulation(_ text: String, clientID: String? = nil) throws -> Simulation {
        let document = DescriptorDocument(MarkedExample(completing: text).file(named: "acme.yaml"))
        let descriptor = try #require(document.descriptor, "\(document.diagnostics)")
        return Simulation(try descriptor.resolve(inputs: descriptor.simulatedInputs().values), clientID: clientID)
    }

    @Test("The authorization URL is exact, and the same at every run")
    func theAuthorizationURLIsExact() throws {
        let plain = try simulation("scopes: { default: [openid] }\n", clientID: "my client")
        let url = try plain.request(.authorization).url
        #expect(
            url
                == "https://id.acme.example/simulated-authorization?response_type=code&client_id=my%20client"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback&scope=openid"
                + "&state=simulated_value_1_0000000000000000000000000"
                + "&nonce=simulated_value_2_0000000000000000000000000"
                + "&code_challenge=DypjDqrmIZM_njuUrOeRBl6ycdcKTwKYwiUzCTs2VkQ&code_challenge_method=S256"
        )
        #expect(try plain.request(.authorization).url == url)
        #expect(plain.inventedEndpoints.contains(.authorization))
    }

    @Test("Bound tokens are requested and used with proofs of a key")
    func boundTokensAreAsked() throws {
        let bound = try simulation("client: { dpop_bound_access_tokens: true }\n")
        for step in [SimulatedStep.token, .refresh] {
            #expect(try bound.request(step).headers.contains { $0.name == "DPoP" })
        }
        let free = try simulation("scopes: { default: [openid] }\n")
        #expect(try !free.request(.token).headers.contains { $0.name == "DPoP" })
    }

    @Test("The token request has the simulated code and the verifier of the authorization request")
    func theTokenRequestHasTheSimulated() throws {
        let request = try simulation("client: { authentication: [client_secret_basic] }\n").request(.token)
        #expect(request.method == "POST")
        #expect(request.url == "https://id.acme.example/simulated-token")
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == [
                "Accept: application/json", "User-Agent: Carnet",
                "Content-Type: application/x-www-form-urlencoded",
                "Authorization: Basic c2ltdWxhdGVkLWNsaWVudDpzaW11bGF0ZWQtY2xpZW50LXNlY3JldA==",
            ])
        #expect(
            request.body
                == "grant_type=authorization_code&code=simulated-code"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback"
                + "&code_verifier=simulated_value_2_0000000000000000000000000"
        )
    }

    @Test("A provider has the steps that its endpoints allow")
    func aProviderHasTheSteps() throws {
        let endpoints = """
            endpoints: { authorization: https://acme.example/authorize, token: https://acme.example/token }

            """
        #expect(try simulation(endpoints).steps == [.authorization, .token, .refresh])
        let all = try simulation("scopes: { default: [openid] }\n")
        #expect(all.steps == SimulatedStep.allCases)
        for step in all.steps { _ = try all.request(step) }
        #expect(try all.request(.refresh).body.contains("refresh_token=simulated-refresh-token"))
        #expect(try all.request(.endSession).url.contains("id_token_hint=simulated-id-token"))
    }

    @Test("A callback in the provider's own words becomes the token request")
    func aCallbackInTheProvidersOwn() throws {
        let odd = try simulation(
            """
            authorization: { rename: { state: st } }
            callback: { iss: required, rename: { code: auth_code, iss: from } }

            """)
        #expect(try odd.request(.token).body.contains("code=simulated-code"))
    }

    @Test("A redirect URI is made up after the forms that the provider accepts")
    func aRedirectURIIsMadeUp() throws {
        let own = try simulation("redirects: ['{bundle_id}:/oauth2callback']\n")
        #expect(own.registration.redirectURI == "com.example.app:/oauth2callback")
        let loopback = try simulation("redirects: ['https://{host}/{path}', 'http://localhost:{port}/callback']\n")
        #expect(loopback.registration.redirectURI == "http://localhost:49152/callback")
    }

    @Test("Values are made up for inputs, as far as their rules allow")
    func valuesAreMadeUpForInputs() throws {
        let document = DescriptorDocument(
            MarkedExample(
                completing: """
                    issuer: https://{my_host}/{tenant}/{year}/{day}
                    inputs:
                      my_host: { type: hostname }
                      tenant: { example: acme }
                      year: { pattern: '[0-9]{4}' }
                      day: { pattern: 'no^thing' }
                      extra: { optional: true }

                    """
            ).file(named: "acme.yaml"))
        let descriptor = try #require(document.descriptor, "\(document.diagnostics)")
        let (values, missing) = descriptor.simulatedInputs()
        #expect(values == ["my_host": "my-host.example", "tenant": "acme", "year": "1111"])
        #expect(missing == ["day"])
        #expect(descriptor.simulatedInputs(["day": "2026"]).missing == [])
    }
}
