import CarnetDescriptors
import CarnetFoundation
import Testing

/// The expectations are those of `inet_aton` and of Python's `ipaddress`, not of this code.
@Suite("Host name")
struct HostNameTests {
    private static let spellings: [(host: String, address: [UInt8]?)] = [
        ("127.0.0.1", [127, 0, 0, 1]), ("127.1", [127, 0, 0, 1]), ("127.0.1", [127, 0, 0, 1]),
        ("0x7f.1", [127, 0, 0, 1]),
        ("0x7f000001", [127, 0, 0, 1]), ("0X7F.0.0.1", [127, 0, 0, 1]), ("0177.0.0.1", [127, 0, 0, 1]),
        ("017700000001", [127, 0, 0, 1]), ("2130706433", [127, 0, 0, 1]), ("0", [0, 0, 0, 0]),
        ("10.1.2.3", [10, 1, 2, 3]),
        ("0x0a010203", [10, 1, 2, 3]), ("012.1.2.3", [10, 1, 2, 3]), ("10.66051", [10, 1, 2, 3]),
        ("0xa9.0xfe.0xa9.0xfe", [169, 254, 169, 254]), ("2852039166", [169, 254, 169, 254]),
        ("025177524776", [169, 254, 169, 254]), ("0251.0376.43518", [169, 254, 169, 254]),
        ("192.168.257", [192, 168, 1, 1]),
        ("8.8.2056", [8, 8, 8, 8]), ("16843009", [1, 1, 1, 1]), ("4294967295", [255, 255, 255, 255]),
        // The URL Standard, section 3.5.4: nothing behind 0x is zero.
        ("0x", [0, 0, 0, 0]),
        ("4294967296", nil), ("256.1.1.1", nil), ("1.2.3.256", nil), ("1.2.65536", nil), ("1.2.3.4.5", nil),
        ("08.1.1.1", nil),
        ("1..2", nil), ("99999999999999999999999999999999", nil),
        ("[::ffff:127.0.0.1]", [127, 0, 0, 1]), ("[::FFFF:7f00:1]", [127, 0, 0, 1]),
        ("[::ffff:10.1.2.3]", [10, 1, 2, 3]),
        ("[0:0:0:0:0:ffff:a9fe:a9fe]", [169, 254, 169, 254]),
        ("[::1]", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
        ("[fe80::1]", [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), ("[1:2]", nil), ("[::1", nil),
    ]

    @Test("is read as a number in every spelling, with dots at the end too")
    func isReadAsANumber() {
        for (host, bytes) in Self.spellings {
            for ending in host.hasPrefix("[") ? [""] : ["", ".", ".."] {
                let name = HostName(host + ending)
                #expect(name.isNumeric, "\(host)\(ending)")
                #expect(name.address?.bytes == bytes, "\(host)\(ending)")
            }
        }
    }

    @Test(
        "is a name",
        arguments: [
            "acme.example", "127.0.0.1.acme.example", "0xg.x", "a1", "1a", "0x7g", "localhost", "a.localhost", "",
        ])
    func names(host: String) {
        #expect(!HostName(host).isNumeric)
        #expect(HostName(host).address == nil)
    }

    @Test("is this machine")
    func loopback() {
        let own = [
            "localhost", "LOCALHOST", "localhost.", "foo.localhost", "Foo.LocalHost.", "127.0.0.1", "127.1",
            "127.0.0.1.",
            "0x7f.1", "127.255.0.9", "[::1]", "[0:0::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        ]
        for host in own { #expect(HostName(host).isLoopback, "\(host)") }
        for host in [
            "localhost.example", "notlocalhost", "127.0.0.1.example", "128.0.0.1", "0.0.0.0", "[::]", "[::2]",
            "10.0.0.1", "",
            "[::127.0.0.1]",
        ] {
            #expect(!HostName(host).isLoopback, "\(host)")
        }
    }

    // A name server could say that these are elsewhere.
    @Test(
        "needs TLS where a name server may be asked",
        arguments: ["foo.localhost", "localhost.", "127.0.0.1.", "acme.example"])
    func needsTLS(host: String) throws {
        #expect(!HostName(host).needsNoTLS)
        #expect(throws: WebURLError.self) { try WebURL("http://\(host)/") }
    }
}
