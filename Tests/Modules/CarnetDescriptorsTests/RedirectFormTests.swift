import CarnetDescriptors
import Testing

@Suite("Redirect form")
struct RedirectFormTests {
    private func matches(_ form: String, _ uri: String) throws -> Bool {
        let provider = try ResolutionFixture.provider("redirects: [\"\(form)\"]\n")
        return try #require(provider.redirects.first).matches(uri)
    }

    @Test(
        "Matches its form",
        arguments: [
            ("{bundle_id}:/oauth2callback", "com.example.app:/oauth2callback"),
            ("{scheme}://{host}", "com.example.app://callback"), ("{scheme}://{host}", "auth0test1://test"),
            ("{scheme}://{host}/{path}", "com.example.app://host/a/b/c"),
            ("https://{host}/{path}", "https://app.example/a/b"), ("https://app.example/cb", "https://app.example/cb"),
            ("https://app.example/{path}", "https://app.example/"),
            ("https://app.example/{path}", "https://app.example"),
            ("http://127.0.0.1:{port}/{path}", "http://127.0.0.1:49152/callback"),
            ("http://127.0.0.1:{port}/{path}", "http://127.0.0.1/callback"),
            ("http://[::1]:{port}", "http://[::1]:9"), ("http://[::1]:{port}", "http://[::1]"),
            ("{bundle_id}://{domain}/ios/{bundle_id}/callback", "com.a.b://x.example/ios/com.a.b/callback"),
        ])
    func matchesItsForm(_ form: String, _ uri: String) throws {
        #expect(try matches(form, uri))
    }

    @Test(
        "Matches nothing else",
        arguments: [
            ("{bundle_id}:/oauth2callback", "com.example.app:/other"), ("{scheme}:/cb", "HTTPS:/cb"),
            ("{bundle_id}:/cb", ":/cb"), ("{bundle_id}:/cb", "com.example.app:/cb/more"),
            ("{bundle_id}:/cb", "com.example.app:/cb?x=y"), ("{bundle_id}:/cb", "com.example.app:/cb#x"),
            ("{scheme}://{host}", "com.example.app://a/b"), ("{scheme}://{host}", "com.example.app://"),
            ("https://app.example/cb", "https://app.example/cb/"), ("https://app.example/cb", "https://app.exampleXcb"),
            ("https://app.example/cb", "HTTPS://app.example/cb"), ("https://app.example/cb", "https://app.example/CB"),
            ("http://127.0.0.1:{port}/{path}", "http://127.0.0.1:/callback"),
            ("http://127.0.0.1:{port}/{path}", "http://127.0.0.1:80@evil.example/callback"),
            ("http://127.0.0.1:{port}/{path}", "http://127.0.0.1.evil.example/callback"),
            ("http://127.0.0.1:{port}/{path}", "http://127.0.0.1:8x/callback"),
            ("https://{host}/cb", "https://a/b/cb"), ("https://app.example/{path}", "https://app.exampleX"),
            ("https://app.example/{path}", "https://app.example/a?b"),
            ("https://app.example/{path}", "https://app.example/#"),
            ("https://app.example/cb", ""), ("{scheme}:/{path}", "https://evil.example/x"),
        ])
    func matchesNothingElse(_ form: String, _ uri: String) throws {
        #expect(try !matches(form, uri))
    }

    @Test("Long address is validated in a moment", .timeLimit(.minutes(5)))
    func longAddressIsValidatedInAMoment() throws {
        let uri = "https://h/" + String(repeating: "a", count: 2000)
        #expect(try !matches("https://{host}/{path}/x/{more}/y", uri))
    }
}
