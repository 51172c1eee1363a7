import CarnetDescriptors
import CarnetTestSupport
import Foundation

/// Paths at a door where everything is open to anyone except `/admin/**`: what is open is nothing below /admin in the eyes of
/// any program that repairs paths.
struct RequestPathTarget: FuzzTarget {
    private let mutator: ByteMutator
    private let table: RouteTable

    init(corpus: [[UInt8]]) {
        let seeds = [
            "/admin/x", "/public/../admin/x", "//admin", "/%61dmin/x", "/admin%2fx", "/ADMIN/x", "/admin;x=1/y",
            "/admin.",
            "/users/5", "/public/%2e%2e/admin", "/admin%00", "/x/..;/admin", "/%252e%252e/admin", "/a?b=/admin",
        ]
        mutator = ByteMutator(
            seeds: seeds.map { Array($0.utf8) } + corpus,
            words: [
                "/../", "/./", "//", "%2f", "%2F", "%5c", "%5C", "%2e", "%2E", "%252f", "%00", "%20", ";", "..;", "\\",
                "admin", "ADMIN", "%C0%AF", "%EF%BC%8F", "#", "?", "%41dmin", ".",
            ])
        let map = """
            resources:
              - { title: open, url: /**, anonymous: everybody may see them }
              - { title: administration, url: /admin/**, scope: admin }
              - { title: user, url: "/users/{id}", scope: users }

            """
        table = RouteTable.reading(ResourceMapFile(SourceFile(path: "map.yaml", text: map)).entries).table
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard case .found(let route) = table.match(method: "GET", authority: "api.acme.example", target: text) else {
            return
        }
        let path = String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        let readings = Self.readings(of: path)
        for segments in readings {
            let expected =
                segments.first == "admin"
                ? "administration" : segments.first == "users" && segments.count == 2 ? "user" : "open"
            try require(route.title == expected, "\(text.debugDescription) is \(route.title), and read as \(segments)")
        }
        // The same path again, and with a query, is decided alike.
        guard case .found(let again) = table.match(method: "GET", authority: nil, target: path + "?x=/../y") else {
            throw InputCheck.Violation(description: "\(text.debugDescription) is not decided alike with a query")
        }
        try require(again.title == route.title, "\(text.debugDescription) is decided in two ways")
    }

    /// The segments as programs read them that decode once, twice or not at all, drop parameters, take a backslash for a
    /// slash, ignore case, and cut dots and spaces.
    static func readings(of path: String) -> [[String]] {
        var texts = [path]
        for _ in 0..<2 {
            if let last = texts.last, let decoded = last.removingPercentEncoding { texts.append(decoded) }
        }
        return texts.map { text in
            var segments: [String] = []
            let cut = text.prefix { $0 != "#" && $0 != "\0" }
            for part in cut.split(whereSeparator: { $0 == "/" || $0 == "\\" }) {
                var name = part.prefix { $0 != ";" }.lowercased()
                switch name {
                case "", ".": continue
                case "..": _ = segments.popLast()
                default:
                    while let last = name.last, ". \t\r\n".contains(last) { name.removeLast() }
                    segments.append(name)
                }
            }
            return segments
        }
    }
}
