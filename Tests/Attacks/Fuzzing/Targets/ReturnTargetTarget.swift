import CarnetTestSupport
import CarnetWeb
import Foundation

/// Where a browser is sent after a sign-in: to a path of the site or nowhere, in the eyes of any who read URLs.
struct ReturnTargetTarget: FuzzTarget {
    private let mutator: ByteMutator

    init(corpus: [[UInt8]]) {
        let seeds = [
            "/", "/a/b?c=d#e", "/%2e%2e/a", "//evil.example", "/\\evil.example", "https://evil.example/", "/a//b",
            "/%252f",
        ]
        mutator = ByteMutator(
            seeds: seeds.map { Array($0.utf8) } + corpus,
            words: [
                "//evil.example", "/\\", "%2f%2f", "%252f", "%5c", "%255c", "@evil.example", "javascript:", "..%2f",
                "/./", "%09",
            ])
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let target = ReturnTarget(text) else { return }
        try require(target.path == text, "the path was changed")
        // As browsers do (URL Standard): tabs and line breaks are dropped, and a backslash is a slash.
        let seen = text.unicodeScalars.filter { !["\t", "\n", "\r"].contains($0) }.map { $0 == "\\" ? "/" : String($0) }
            .joined()
        try require(seen.hasPrefix("/") && !seen.hasPrefix("//"), "\(text) leaves the site")
        let base = URL(string: "https://app.example/sign-in/callback")
        let url = URL(string: text, relativeTo: base)?.absoluteURL
        try require(
            url?.host() == "app.example" && url?.scheme == "https",
            "\(text) leads to \(url?.absoluteString ?? "nothing")")
        for _ in 0..<2 {
            guard let path = (url?.path(percentEncoded: false)) else { continue }
            try require(!path.hasPrefix("//"), "\(text) leads to \(path)")
        }
        try require(text.utf8.count <= 16_384, "a path of \(text.utf8.count) bytes")
    }
}
