import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import Foundation
import Testing

/// `Docs/providers` is made from the descriptors. With `CARNET_UPDATE_DOCS=1` in the environment it is written anew.
@Suite("The pages of the providers")
struct ProviderPageTests {
    private static let isUpdating = ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1"

    private static func page(_ id: ProviderID) throws -> ProviderPage {
        ProviderPage(
            descriptor: try ProviderRegistry.builtIn.descriptor(id),
            requests: try Repository.file("Tests/Modules/CarnetCommandTests/Catalogue/\(id).txt").text)
    }

    private func check(_ path: String, _ text: String) throws {
        let url = Repository.root.appending(path: path)
        if Self.isUpdating { try Data(text.utf8).write(to: url) }
        let written = try? String(contentsOf: url, encoding: .utf8)
        #expect(written == text, "\(path) is not current; run the tests with CARNET_UPDATE_DOCS=1")
    }

    @Test("A page says what its descriptor says", arguments: ProviderRegistry.builtIn.ids)
    func page(id: ProviderID) throws {
        try check("Docs/providers/\(id).md", Self.page(id).text)
    }

    @Test("The index lists every provider with the facts that differ")
    func index() throws {
        let pages = try ProviderRegistry.builtIn.ids.map(Self.page)
        let rows = pages.map { page in
            let descriptor = page.descriptor
            let status = descriptor.status.remark.map { ", \($0)" } ?? ""
            return [
                "[\(descriptor.name)](\(descriptor.id).md)\(status)", "`\(descriptor.id)`", page.pkce,
                page.refreshes ? "yes" : "no", page.revokes ? "yes" : "no", page.profile,
                descriptor.verified?.date ?? "", page.isFromCatalogues ? "catalogues" : "own documents",
            ]
        }
        let text =
            """
            # Providers

            \(pages.count) providers come with Carnet. `carnet providers --search WORD` finds one. To add another, see
            [Add a provider to the catalogue](../adding-to-the-catalogue.md).

            - PKCE, Refresh, Revocation and Profile: what a test client does during a sign-in, a refresh and a sign-out. "no"
              means that the provider lacks the feature, or that no source proves that the provider has it.
            - Verified by: "own documents" are the provider's documentation, metadata or source code; "catalogues" are lists of
              providers in other libraries. On some facts [the sources disagree](disagreements.md).


            """
            + ProviderPage.table(
                ["Provider", "Id", "PKCE", "Refresh", "Revocation", "Profile", "Verified", "Verified by"], rows)
        try check("Docs/providers/README.md", text)
    }

    @Test("The command on a page has a redirect URI that the provider accepts", arguments: ProviderRegistry.builtIn.ids)
    func command(id: ProviderID) throws {
        let page = try Repository.file("Docs/providers/\(id).md").text
        let command = try #require(page.firstMatch(of: /\$ carnet login (.*)/)).output.1
        let words = command.split(separator: " ").map(String.init)
        func value(_ option: String) -> String? { words.firstIndex(of: option).map { words[$0 + 1] } }
        let descriptor = try ProviderRegistry.builtIn.descriptor(id).variant(value("--environment"))
        guard !descriptor.redirects.isEmpty else { return }
        if let uri = value("--redirect-uri") {
            #expect(words.contains("--paste"))
            #expect(descriptor.redirects.contains { $0.matches(uri) })
        } else {
            let loopback = ["http://127.0.0.1/callback", "http://localhost/callback"]
            #expect(loopback.contains { uri in descriptor.redirects.contains { $0.matches(uri) } })
        }
    }

    @Test("Every page belongs to a provider")
    func noRemains() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "Docs/providers").path)
        let pages = Set(ProviderRegistry.builtIn.ids.map { "\($0).md" } + ["README.md", "disagreements.md"])
        #expect(Set(names) == pages)
    }

    @Test("The Swift of every page is a compiled snippet, but for names and texts")
    func snippets() throws {
        let snippets = try Repository.file("Tests/Programs/Snippets/HostProgram/ProviderClients.swift").text
        let shapes = Set(snippets.split(separator: /(?m)^(?=func )/).dropFirst().map { Self.shape(String($0)) })
        #expect(shapes.count == 5)
        for page in try Repository.files("Docs/providers", "md") {
            for block in CodeBlock.all(in: page) where block.info == "swift" {
                #expect(shapes.contains(Self.shape(block.text)), "\(block)\n\(block.text)")
            }
        }
    }

    /// Swift without the name of the function and without texts.
    private static func shape(_ text: String) -> String {
        text.replacing(/"(?:[^"\\]|\\.)*"/, with: "\"\"")
            .replacing(/inputs: \[[^\]]*\]/, with: "inputs: [\"\": \"\"]")
            .replacing(/func make[A-Za-z0-9]+Client/, with: "func makeClient")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
