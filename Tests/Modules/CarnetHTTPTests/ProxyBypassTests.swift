import Testing

@testable import CarnetTransport

/// The expectations are those of curl's manual page for `NO_PROXY` and `--noproxy`.
@Suite("Proxy bypass")
struct ProxyBypassTests {
    @Test(
        "A name stands for its domain and all below it, an address for itself, a range for what is in it",
        arguments: [
            ("local.com", "local.com", true), ("local.com", "www.local.com", true),
            ("local.com", "www.notlocal.com", false),
            (".local.com", "local.com", true), ("LOCAL.com.", "www.local.COM", true), ("ocal.com", "local.com", false),
            ("www.local.com", "local.com", false),
            ("192.168.0.0/16", "192.168.3.4", true), ("192.168.0.0/16", "192.169.0.1", false),
            ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "9.9.9.9", true),
            ("fd00::/8", "[fd12::1]", true), ("fd00::/8", "[fe80::1]", false), ("[fd12::1]", "fd12::1", true),
            ("*", "anything.example", true), ("*", "10.1.2.3", true),
        ])
    func matches(entry: String, host: String, isDirect: Bool) {
        #expect(ProxyBypass([entry]).contains(host) == isDirect)
    }

    @Test(
        "An entry that is no name, address or range stands for nothing",
        arguments: [
            ("10.0.0.0/33", "10.1.2.3"), ("10.0.0.0/x", "10.0.0.0"), ("10.0.0.0/", "10.0.0.0"), ("", "a.example"),
            (".", "a.example"), ("*.local.com", "www.local.com"), ("2.3", "10.1.2.3"),
        ])
    func matchesNothing(entry: String, host: String) {
        #expect(!ProxyBypass([entry]).contains(host))
    }

    @Test("One of several entries is enough, and without any nothing is excepted")
    func several() {
        #expect(ProxyBypass(["a.example", "b.example"]).contains("b.example"))
        #expect(!ProxyBypass([]).contains("b.example"))
    }
}
