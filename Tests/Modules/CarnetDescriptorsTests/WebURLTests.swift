import CarnetDescriptors
import CarnetFoundation
import Testing

@Suite("Web URL")
struct WebURLTests {
    @Test("Is taken apart")
    func isTakenApart() throws {
        let url = try WebURL("HTTPS://Op.Example:8443/a/b?c=d?e")
        #expect(url.scheme == "https")
        #expect(url.host == "op.example")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b")
        #expect(url.query == "c=d?e")
        #expect(url.authority == "op.example:8443")
        #expect(url.target == "/a/b?c=d?e")
        #expect(url.text == "HTTPS://Op.Example:8443/a/b?c=d?e")
    }

    @Test("Empty path is a slash on the wire")
    func emptyPathIsASlashOnTheWire() throws {
        #expect(try WebURL("https://op.example").target == "/")
        #expect(try WebURL("https://op.example?a=b").target == "/?a=b")
        #expect(try WebURL("https://op.example").path == "")
    }

    // HTTP-11: an origin has its port, said or not.
    @Test("Origin counts the default port")
    func originCountsTheDefaultPort() throws {
        #expect(try WebURL("https://op.example/a").origin == "https://op.example:443")
        #expect(try WebURL("https://OP.example:443/b").origin == "https://op.example:443")
        #expect(try WebURL("http://localhost").origin == "http://localhost:80")
    }

    // DISC-09, DISC-10.
    @Test(
        "Rejects what must not be requested",
        arguments: [
            "", "op.example", "//op.example", "/path", "https:", "https:/op.example", "https://", "https:///path",
            "ftp://op.example", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "mailto:a@b",
            "https://user@op.example", "https://user:pass@op.example", "https://op.example@evil.example",
            "https://op.example/#fragment", "https://op.example/a b", "https://op.example/a\nb",
            "https://op.example/\u{0}",
            "https://op.example/é", "https://é.example", "https://op.example\\evil",
            "https://op.example/\"", "https://op.example/`x`", "https://op.example/<x>",
            "https://op.example/{x}", "https://op.example/|", "https://op.example/^", "https://op.example:",
            "https://op.example:0", "https://op.example:65536", "https://op.example:-1", "https://op.example:8o",
            "https://[::1", "https://[]", "https://[::1]x", "https://[zz]/", "https://a%2eb/", "https://a,b/",
            "https://op.example:99999999999999999999",
        ])
    func refusesWhatMustNotBeRequested(_ text: String) {
        #expect(throws: WebURLError.self) { try WebURL(text) }
    }

    // DISC-08.
    @Test(
        "HTTP is for this machine",
        arguments: [
            "http://localhost", "http://LOCALHOST:8080/", "http://127.0.0.1/", "http://127.255.0.9:1/",
            "http://[::1]:80/", "http://127.1", "http://127.0.0", "http://[::ffff:127.0.0.1]",
        ])
    func httpIsForThisMachine(_ text: String) throws { #expect(try WebURL(text).isLoopback) }

    @Test(
        "HTTP is for no other host",
        arguments: [
            "http://op.example", "http://127.0.0.1.evil.example", "http://localhost.evil.example", "http://128.0.0.1",
            "http://127.0.0.256", "http://a.localhost", "http://127.0.0.0.1", "http://[::2]",
            "http://0.0.0.0",
            "http://127.0.0.x", "http://127.0.0.1-", "http://127.0.0.1.", "http://127..0.1", "http://localhost.",
        ])
    func httpIsForNoOtherHost(_ text: String) {
        let error = #expect(throws: WebURLError.self) { try WebURL(text) }
        #expect(error?.reason.contains("loopback") == true)
    }

    // DISC-11.
    @Test(
        "Query is appended to its own",
        arguments: zip(
            ["https://op.example/a", "https://op.example/a?p=1", "https://op.example/a?", "https://op.example"],
            [
                "https://op.example/a?x=y", "https://op.example/a?p=1&x=y", "https://op.example/a?x=y",
                "https://op.example?x=y",
            ]
        ))
    func queryIsAppendedToItsOwn(_ text: String, _ expected: String) throws {
        #expect(try WebURL(text).appendingQuery("x=y") == expected)
        #expect(try WebURL(text).appendingQuery("") == text)
    }

    // RFC 3986, section 2.2: sub-delimiters such as those of OData. Whoever opens a URL does so without a shell.
    @Test(
        "Sub delimiters are allowed",
        arguments: ["https://op.example/$metadata", "https://op.example/Users('a')?$filter=x"])
    func subDelimitersAreAllowed(_ text: String) throws {
        #expect(try WebURL(text).text == text)
    }

    @Test("Reason does not repeat control characters")
    func reasonDoesNotRepeatControlCharacters() {
        let error = #expect(throws: WebURLError.self) { try WebURL("https://op.example/\u{1B}[31m") }
        #expect(error?.reason == "a URL cannot contain the control character 27")
    }
}
