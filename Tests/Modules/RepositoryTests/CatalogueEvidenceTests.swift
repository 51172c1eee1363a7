import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import Foundation
import Testing

/// Mistakes that reviews found in descriptors, looked for in all of them. Those that a file alone shows are lint rules.
@Suite("The evidence of the catalogue")
struct CatalogueEvidenceTests {
    private static let entries = ProviderRegistry.builtIn.entries

    private static func section(_ name: String, of id: ProviderID) throws -> Substring? {
        let text = try Repository.file("Tests/Modules/CarnetCommandTests/Catalogue/\(id).txt").text
        return text.split(separator: "\n## ").first { $0.hasPrefix(name + "\n") }
    }

    @Test("Each parameter that a descriptor adds to a refresh is in the refresh request on file")
    func refreshParameters() throws {
        var seen = 0
        for entry in Self.entries {
            guard let request = try Self.section("refresh", of: entry.descriptor.id) else { continue }
            for parameter in entry.descriptor.refresh.request.parameters.items where !parameter.value.usesInputs {
                seen += 1
                let isSent = ["\(parameter.name)=", "\"\(parameter.name)\":"].contains { request.contains($0) }
                #expect(isSent, "\(entry.descriptor.id): refresh.parameters.\(parameter.name) is not sent")
            }
        }
        #expect(seen > 3)
    }

    @Test("A descriptor that refuses loopback redirect URIs has a reason, and a second source")
    func loopback() throws {
        let rows = try Repository.file("Tests/Peers/Facts/facts.tsv").lines.map {
            $0.text.components(separatedBy: "\t")
        }
        let second = Set(rows.filter { $0.count > 2 && $0[1] == "redirect_loopback_http" }.map { $0[0] })
        for entry in Self.entries {
            let descriptor = entry.descriptor
            let accepts = ["http://127.0.0.1/callback", "http://localhost/callback", "http://localhost:8080/callback"]
                .contains { uri in descriptor.redirects.contains { $0.matches(uri) } }
            guard !descriptor.redirects.isEmpty, !accepts else { continue }
            #expect(
                descriptor.notes.contains { $0.about == "redirects" && $0.link != nil },
                "\(descriptor.id): no note says why redirects has no loopback URI")
            #expect(
                second.contains(descriptor.id.rawValue), "\(descriptor.id): facts.tsv has no redirect_loopback_http")
        }
    }

    @Test("A descriptor with a revocation endpoint has a fact about the tokens that the endpoint accepts")
    func revocableTokens() throws {
        let rows = try Repository.file("Tests/Peers/Facts/facts.tsv").lines.map {
            $0.text.components(separatedBy: "\t")
        }
        let known = Set(rows.filter { $0.count > 2 && $0[1] == "revocable_tokens" }.map { $0[0] })
        for entry in Self.entries where entry.document.root?.node(at: ["endpoints", "revocation"]) != nil {
            let id = entry.descriptor.id.rawValue
            #expect(known.contains(id), "\(id): facts.tsv has no revocable_tokens")
        }
    }

    @Test("If the page on quirks names a provider for a key, its descriptor has the key or a note about it")
    func quirks() throws {
        let lines = try Repository.file("Docs/quirks.md").lines.map { String($0.text) }
        #expect(
            Self.missing(from: lines).sorted() == [], "Docs/quirks.md names a provider whose descriptor lacks the key")
        #expect(
            Self.missing(from: ["| the body is JSON | `token.body: json` | Notion, Strava |"]) == ["strava token.body"])
    }

    private static func missing(from lines: [String]) -> Set<String> {
        var found = Set<String>()
        for line in lines where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let key = cells[1].firstMatch(of: /`([a-z_]+(?:\.[a-z0-9_]+)+)/)?.output.1 else {
                continue
            }
            for entry in entries {
                let descriptor = entry.descriptor
                guard names(of: descriptor).contains(where: { names($0, in: cells[2]) }),
                    !descriptor.has(String(key), in: entry.document.root)
                else { continue }
                found.insert("\(descriptor.id) \(key)")
            }
        }
        return found
    }

    @Test("A resource at the URL of the profile has the query parameters of the profile")
    func resourceParameters() throws {
        for entry in Self.entries {
            let lacking = try Self.lacking(#require(entry.document.root))
            #expect(lacking == [], "\(entry.descriptor.id): the query lacks a parameter that profile.parameters has")
        }
        let planted = """
            endpoints: { userinfo: https://acme.example/me }
            profile: { parameters: { consumer_key: "{client.id}" } }
            resources: [{ id: me, title: Me, url: https://acme.example/me }]

            """
        let root = try #require(YAMLReader().read(SourceFile(path: "acme.yaml", text: planted)).root)
        #expect(Self.lacking(root) == ["https://acme.example/me"])
    }

    /// The resources at the URL of the profile whose query lacks what the profile's has.
    private static func lacking(_ root: YAMLNode) -> [String] {
        func text(_ path: String...) -> String? { root.node(at: path)?.scalar?.text }
        func keys(_ path: String...) -> [String] { (root.node(at: path)?.entries ?? []).map(\.key) }
        guard let endpoint = text("endpoints", "userinfo"), text("profile", "body") == nil else { return [] }
        let address = endpoint.prefix { $0 != "?" }
        let needed = Set(keys("profile", "parameters")).subtracting(keys("api", "parameters"))
        return (root.node(at: ["resources"])?.elements ?? []).compactMap { $0.node(at: ["url"])?.scalar?.text }.filter {
            url in
            let parts = url.split(separator: "?", maxSplits: 1)
            let query = parts.dropFirst().joined().split(separator: "&").map { String($0.prefix { $0 != "=" }) }
            return parts.first == address && !needed.isSubset(of: query)
        }
    }

    private static func names(of descriptor: ProviderDescriptor) -> [String] {
        [descriptor.name, descriptor.id.rawValue.prefix(1).uppercased() + descriptor.id.rawValue.dropFirst()]
    }

    private static func names(_ name: String, in text: String) -> Bool {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "-" && $0 != " " }.contains { part in
            part.trimmingCharacters(in: .whitespaces) == name
        }
    }
}

extension ProviderDescriptor {
    /// Whether the file has a key, here or in an environment, or a note about it.
    fileprivate func has(_ key: String, in root: YAMLNode?) -> Bool {
        let path = key.split(separator: ".").map(String.init)
        guard let root else { return false }
        let environments = (root.entry("environments")?.value.entries ?? []).map(\.value)
        return ([root] + environments).contains { $0.node(at: path) != nil }
            || self.notes.contains { $0.about == key || $0.about.hasPrefix(key + ".") }
    }
}
