import Carnet
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes

/// Cookies that others plant: a sibling of the site, and somebody on the way of a plain http connection. Whatever they set,
/// a browser sends none of it with the prefix `__Host-`, and so none of it is read as having it.
///
/// A line of an input is one `Set-Cookie` field. It begins with who sends it: `S` the sibling over https, `P` the site's own
/// name over http.
struct CookieJarTarget: FuzzTarget {
    /// How the names and values of this site's cookies are read from a request; and whether they could be read.
    typealias Reader = @Sendable (HTTPRequest) -> (cookies: [(name: String, value: String)], isAmbiguous: Bool)

    static let host = "app.shop.example"
    private static let site = BrowserJar.Sender(host: host, isSecure: true)
    private static let sibling = BrowserJar.Sender(host: "evil.shop.example", isSecure: true)
    private static let network = BrowserJar.Sender(host: host, isSecure: false)
    private static let paths = ["/", "/sign-in", "/sign-in/acme/callback"]
    private static let name = "__Host-carnet-session"
    private static let genuine = "the-site-itself"

    static let reader: Reader = { request in
        let received = ReceivedCookies(request, namesBeginningWith: "__Host-carnet-")
        return (received.all, received.isAmbiguous)
    }

    private let read: Reader
    private let mutator: ByteMutator

    init(corpus: [[UInt8]]) throws { self.init(corpus: corpus, reading: Self.reader) }

    init(corpus: [[UInt8]], reading read: @escaping Reader) {
        self.read = read
        let domain = "; Domain=shop.example; Path=/sign-in"
        let blanks = [
            "\u{2000}", "\u{A0}", "\u{85}", "\u{FEFF}", "\u{3000}", "\u{200B}", "\u{180E}", "\t", " ", "\u{2028}",
        ]
        mutator = ByteMutator(
            seeds: blanks.map { Array("S\($0)\(Self.name)=planted\(domain)".utf8) }
                + [
                    "Sx=1\u{37E}\(Self.name)=planted\(domain)", "S=\(Self.name)=planted\(domain)",
                    "S\(Self.name)=planted; Secure; Path=/", "P\(Self.name)=planted; Path=/",
                    "P\(Self.name)=planted; Secure; Path=/",
                    "Sx=\"a\(domain)\nSy=;\(Self.name)=planted\"\(domain)", "S$Version=1,\(Self.name)=planted\(domain)",
                    "Sx=1, \(Self.name)=planted\(domain)", "S__host-carnet-session=planted\(domain)",
                    "S\(Self.name)\u{301}=planted\(domain)", "Sx=\r\(Self.name)=planted\(domain)",
                    "S__Host-\(Self.name)=planted\(domain)", "Sx\u{301};\(Self.name)=planted\(domain)",
                ].map { Array($0.utf8) } + corpus,
            words: blanks + [
                "\u{37E}", "\u{FF1B}", "\u{FF1D}", "\u{301}", Self.name, "\(Self.name)=planted", "__Host-", "__host-",
                "carnet-",
                "; Domain=shop.example", "; Path=/", "; Path=/sign-in", "; Secure", "\nS", "\nP", "=", ";", ",", "\"",
                "$Version",
            ])
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        for isSignedIn in [false, true] {
            var jar = BrowserJar()
            if isSignedIn {
                jar.receive(Array("\(Self.name)=\(Self.genuine); Path=/; HttpOnly; Secure".utf8), from: Self.site)
            }
            for line in bytes.split(separator: 0x0A) {
                jar.receive(
                    Array(line.dropFirst()), from: line.first == UInt8(ascii: "P") ? Self.network : Self.sibling)
            }
            for path in Self.paths {
                let sent = jar.sent(to: Self.host, path: path)
                // One field over HTTP/1.1, one for each cookie over HTTP/2.
                for fields in [[Array(sent.joined(separator: [0x3B, 0x20]))], sent] {
                    try check(fields, of: path, isSignedIn: isSignedIn)
                }
            }
        }
    }

    private func check(_ fields: [[UInt8]], of path: String, isSignedIn: Bool) throws(InputCheck.Violation) {
        var request = HTTPRequest(method: .get, scheme: "https", authority: Self.host, path: path)
        for field in fields {
            request.headerFields.append(HTTPField(name: .cookie, value: String(decoding: field, as: UTF8.self)))
        }
        let (cookies, isAmbiguous) = read(request)
        try require(!isAmbiguous, "what others planted keeps the site's own cookies from being read")
        let expected = isSignedIn ? [[Self.name, Self.genuine]] : []
        try require(
            cookies.map { [$0.name, $0.value] } == expected,
            "\(cookies) is read at \(path), and the browser has \(expected) of these names")
    }
}
