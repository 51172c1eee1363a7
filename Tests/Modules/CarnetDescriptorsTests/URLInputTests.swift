import CarnetFoundation
import Testing

@testable import CarnetDescriptors

@Suite("Inputs of URLs")
struct URLInputTests {
    private static let inputs = """
        inputs:
          id: { example: x }
          host: { type: hostname, example: acme.example }
          site: { type: host_path, example: acme.example/tracker }
          note: { type: text, example: x }
          tld: { enum: [nl, co.uk], example: nl }
          part: { pattern: "[a-z]+", example: x }

        """
    private static let values = [
        "id": "x", "host": "acme.example", "site": "acme.example", "note": "x", "tld": "nl", "part": "x",
    ]

    /// Places at which a request gets its host.
    private static let places = [
        "issuer: URL", "discovery_url: URL", "endpoints: { token: URL }",
        "endpoints: { mtls_endpoint_aliases: { token: URL } }", "resources: [{ title: T, url: URL }]",
        "api: { base_url: URL }", "api: { base_url: URL }\nresources: [{ title: T, url: /x }]",
        "profile: { requests: [{ url: URL, claims: { email: /email } }] }",
        "profile: { sources: [{ issuer: 'https://bank.example', jwks: URL, claims: [score] }] }",
        "exchange: { one: { url: URL, brings: values } }",
        "issuer_match: { any_of: [URL] }\nissuer: https://acme.example",
        "connection: { lookups: { one: { url: URL, value: /id, sample: { id: 7 } } } }",
        "connection: { on_connect: [{ url: URL }] }",
        "issuer: URL\nendpoints: { token: '{issuer}/token' }",
    ]

    @Test("are read in an issuer that names itself")
    func issuerOfItself() throws {
        let yaml = "issuer: 'https://{issuer}.acme.example/{issuer}'\nendpoints: { token: '{issuer}/token' }\n"
        #expect(throws: ResolutionError.self) { try ResolutionFixture.provider(yaml) }
    }

    @Test("are refused where an issuer would be the URL of a metadata document")
    func metadataAsIssuer() throws {
        for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/realm"] {
            let yaml = "inputs: { site: { type: host_path } }\nissuer: https://{site}\n"
            let error = #expect(throws: ResolutionError.self) {
                try ResolutionFixture.provider(yaml, inputs: ["site": "id.acme.example" + path])
            }
            #expect(error?.key == "issuer" && error?.reason.contains("metadata document") == true, "\(path)")
        }
    }

    private func refusal(_ yaml: String) throws -> ResolutionError? {
        do {
            _ = try ResolutionFixture.provider(Self.inputs + yaml, inputs: Self.values)
            return nil
        } catch let error as ResolutionError {
            return error
        }
    }

    private static let refusedURLs = [
        "https://{site}.shops.example/authorize", "https://id.{site}/", "https://{site}:8443/", "https://{site}{id}/",
        "https://acme.example/{site}", "https://acme.example/{note}", "https://{note}.acme.example/", "https://{note}/",
        "https://acme.example?x={note}", "https://accounts.acme.{id}/", "https://accounts.acme.{id}:443/",
        "https://{id}acme.example/", "https://acme{id}.example/", "https://acme.example{id}/", "https://acme.{id}./",
        "https://{host}acme.example/", "https://acme{host}.example/", "https://{host}{id}/", "https://a.{tld}.{id}/",
    ]

    @Test("are refused where a value could move the URL to another host", arguments: refusedURLs)
    func refused(url: String) throws {
        let error = try refusal("endpoints: { token: '\(url)' }\n")
        #expect(error?.kind == .badURL)
        #expect(error?.key == "endpoints.token")
        #expect(error?.reason.hasPrefix("the input ") == true)
    }

    @Test(
        "are accepted where the host stays the author's, or the input is the host",
        arguments: [
            "https://{site}/authorize", "https://{site}", "https://{site}/", "https://{site}?x={id}",
            "https://{site}?x={urlencode(input.note)}", "https://{host}/x", "https://{host}:443/x",
            "https://login.{host}/x",
            "https://{host}.acme.example/x", "https://{id}.acme.example/x", "https://api-{id}.acme.example/x",
            "https://{id}.{part}.acme.example/x", "https://{id}.acme.{tld}/x", "https://acme.{tld}/x",
            "https://acme.{part}/x",
            "https://{id}/x", "https://acme.example:{id}/x", "https://acme.example/{id}/{host}?x={id}",
            "https://{id}.example/x",
        ])
    func accepted(url: String) throws {
        let error = try refusal("endpoints: { token: '\(url)' }\n")
        // A port has to be a number, which the value is not.
        #expect(error == nil || url.contains(":{id}") && error?.reason.contains("port") == true)
    }

    @Test("are refused at every place that names a host", arguments: places)
    func everyPlace(yaml: String) throws {
        for url in ["'https://{site}.shops.example'", "'https://{note}.shops.example'"] {
            #expect(try refusal(yaml.replacing("URL", with: url) + "\n")?.kind == .badURL, "\(yaml)")
        }
        #expect(try refusal(yaml.replacing("URL", with: "'https://{id}.shops.example'") + "\n") == nil, "\(yaml)")
    }

    @Test("are refused in a host that may receive the access token")
    func apiHosts() throws {
        for host in [
            "{note}.shops.example", "{site}.shops.example", "acme.{id}", "https://acme.example", "acme.example/{id}",
        ] {
            #expect(try refusal("api: { hosts: ['\(host)'] }\n")?.kind == .badURL, "\(host)")
        }
        #expect(try refusal("api: { hosts: ['{id}.shops.example', '{host}', 'localhost:8080'] }\n") == nil)
    }

    // A server that registers clients chooses their ids.
    @Test("are no part of a host if the client id is in their default")
    func clientIDs() throws {
        let inputs = """
            inputs:
              app: { default: "{client.id}" }
              site: { type: hostname, default: "{app}.acme.example" }
              part: { pattern: "[a-z]+", default: "{client.id}" }

            """
        func refusal(_ yaml: String) throws -> ResolutionError.Kind? {
            let descriptor = try ResolutionFixture.descriptor(inputs + yaml + "\n")
            do {
                _ = try descriptor.resolve(inputs: [:], clientID: "x")
                return nil
            } catch {
                return error.kind
            }
        }
        for host in ["{app}", "{app}.acme.example", "{site}", "{part}.acme.example", "acme.example:{app}"] {
            #expect(try refusal("issuer: 'https://\(host)/'") == .badURL, "\(host)")
            #expect(try refusal("api: { hosts: ['\(host)'] }") == .badURL, "\(host)")
        }
        #expect(try refusal("issuer: 'https://acme.example/{app}?x={site}&y={part}'") == nil)
    }

    @Test("are the host of an input with a path, where only a host counts")
    func hostOfPath() throws {
        let yaml =
            "endpoints: { token: 'https://{site}/token', userinfo: 'https://{site}?x={id}' }\n"
            + "api: { hosts: ['{site}'] }\n"
        for (site, host) in [("Acme.example/Tracker", "acme.example"), ("acme.example:8443/a/b", "acme.example:8443")] {
            let provider = try ResolutionFixture.provider(
                Self.inputs + yaml, inputs: Self.values.merging(["site": site]) { $1 })
            #expect(provider.endpoints[.userinfo]?.authority == host)
            #expect(provider.endpoints[.userinfo]?.query == "x=x")
            #expect(provider.api.hosts == [host])
        }
    }

    @Test("may have any text where it is encoded")
    func encoded() throws {
        let yaml = "endpoints: { userinfo: \"https://acme.example/x/{urlencode(input.note)}\" }\n"
        #expect(try refusal(yaml) == nil)
        // Decoding undoes it.
        let host = "endpoints: { userinfo: 'https://{urldecode(urlencode(input.note))}.acme.example/' }\n"
        #expect(try refusal(host)?.kind == .badURL)
        // A default of a late value is the input as it is.
        #expect(try refusal("endpoints: { userinfo: 'https://{note|x}.acme.example/' }\n")?.kind == .badURL)
        #expect(try refusal("endpoints: { userinfo: 'https://acme.example/{note|x}' }\n")?.kind == .badURL)
    }
}

/// What lint calls an error of security, resolution refuses.
@Suite("Refused descriptors")
struct RefusedDescriptorTests {
    private func kind(_ yaml: String) throws -> ResolutionError.Kind? {
        do {
            _ = try ResolutionFixture.provider(yaml + "\n")
            return nil
        } catch let error as ResolutionError {
            return error.kind
        }
    }

    @Test("have a value that no key keeps")
    func unknownValues() throws {
        for yaml in [
            "refresh: { parameters: { x: '{callback.redirect_uri}' } }", "token: { headers: { X: '{callback.shop}' } }",
            "resources: [{ title: T, url: 'https://{token.host}/x' }]", "api: { parameters: { x: '{step.one}' } }",
            "connection: { derive: { one: '{connection.two}' } }",
        ] {
            #expect(try kind(yaml) == .unknownValue, "\(yaml)")
        }
        #expect(
            try kind(
                "refresh: { parameters: { x: '{callback.shop}' } }\ncallback: { capture: { shop: { pattern: x } } }")
                == nil)
    }

    @Test("leave out or replace what protects the sign-in, without a reason")
    func unprotected() throws {
        for yaml in [
            "authorization: { omit: [state] }", "authorization: { omit: [code_challenge, code_challenge_method] }",
            "token: { omit: [code_verifier] }", "authorization: { parameters: { request: 'ey.J.x' } }",
            "authorization: { offline_parameters: { request_uri: 'https://acme.example/r' } }",
        ] {
            #expect(try kind(yaml) == .unprotected, "\(yaml)")
        }
        for yaml in [
            "authorization: { pkce: { none: 'their server refuses it' } }", "token: { omit: [redirect_uri] }",
            "authorization: { omit: [nonce] }", "authorization: { parameters: { request: authorize } }",
        ] {
            #expect(try kind(yaml) == nil, "\(yaml)")
        }
    }
}
