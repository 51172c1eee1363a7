import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetTestSupport
import Foundation
import HTTPTypes

/// Headers of a proxy at a gateway where everything is open to anyone except `/admin/**` and one host: what is open is nothing
/// of these in the eyes of any program that repairs hosts and paths.
struct GatewayTarget: FuzzTarget {
    private let mutator: ByteMutator
    private let gateway: Gateway

    /// - Throws: `OAuthError` if the gateway file has a mistake.
    init(corpus: [[UInt8]]) throws {
        let seeds = [
            "GET\nhttps\napps.example\n/admin/x", "POST\nhttps\nAPPS.example.:8443\n/public/../admin?x=1",
            "HEAD\nwss\nsecret.apps.example\n/", "GET\nhttp\na.apps.example:80\n//admin%2fx", "get\nhttps\n[::1]:1\n*",
            "GET\nhttps\nsecret.apps.example:99\n/%61", "GET\nhttps\nopen.apps.example\n//x/..;/%2f",
        ]
        mutator = ByteMutator(
            seeds: seeds.map { Array($0.utf8) } + corpus,
            words: [
                "secret.", "SECRET", "apps.example", "open.", ".", ":443", ":", "@", ",", " ", "[", "]", "/../", "//",
                "%2f",
                "%2e", "%00", ";", "\\", "#", "?", "admin", "ADMIN", "\n", "https", "HEAD", "\u{FF0E}", "%", "/**",
            ])
        let text = """
            gateway: 1
            origin: https://apps.example
            providers: [acme]
            routes:
              - { title: open, path: /**, allow: anyone }
              - { title: administration, path: /admin/**, allow: { group: ops } }
              - { title: host, host: secret.apps.example, allow: { group: ops } }
              - { title: everything, host: open.apps.example, allow: anyone }

            """
        gateway = try Gateway(GatewayFile(SourceFile(path: "gateway.yaml", text: text)))
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let names = ["X-Forwarded-Method", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Uri"]
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/")
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        for (name, line) in zip(names, lines) {
            guard let name = HTTPField.Name(name) else { continue }
            request.headerFields.append(HTTPField(name: name, value: String(decoding: line, as: UTF8.self)))
        }
        let forwarded: ForwardedRequest
        do throws(ForwardingProblem) {
            forwarded = try ForwardedRequest(request, from: nil, by: gateway.rules.proxy, secret: nil)
        } catch {
            try requirePrintable(error.reason)
            return
        }
        let decision = gateway.decide(forwarded, as: nil)
        try requirePrintable(decision.reason)
        try require(decision.headers.isEmpty, "nobody gets identity headers")
        guard decision.isAllowed else { return }
        let written = request.headerFields[values: HTTPField.Name(names[2]) ?? .accept].first ?? ""
        // As a proxy finds its server: without the port, the case and dots at the end.
        var host = written.lowercased().prefix { $0 != ":" }
        while host.last == "." { host.removeLast() }
        try require(host != "secret.apps.example", "\(written.debugDescription) is open")
        guard host != "open.apps.example" else { return }
        try require(host == "apps.example", "\(written.debugDescription) is open, although no route has it")
        for segments in RequestPathTarget.readings(of: String(forwarded.target.prefix { $0 != "?" })) {
            try require(segments.first != "admin", "\(forwarded.target.debugDescription) is read as \(segments)")
        }
    }
}
