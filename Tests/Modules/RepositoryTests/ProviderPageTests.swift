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
        let descriptor = try ProviderRegistry.builtIn.descriptor(id)
        let metadata = [id, descriptor.parent].lazy.compactMap { $0 }.compactMap { id in
            try? Repository.file("Tests/Flows/SignInTests/Metadata/\(id).json").text
        }.first
        return ProviderPage(
            descriptor: descriptor,
            requests: try Repository.file("Tests/Modules/CarnetCommandTests/Catalogue/\(id).txt").text,
            metadata: try metadata.map { try JSONValue(parsing: $0) })
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
                page.refreshes ? "yes" : "no", page.revocation, page.profile,
                descriptor.verified?.date ?? "", page.isFromCatalogues ? "catalogues" : "own documents",
            ]
        }
        let example = try Self.snippet("makeAuth0Client")
        let text =
            """
            # Providers

            For developers who add a provider to an application. \(pages.count) providers come with Carnet. `carnet providers --search WORD`
            finds one. To add another, see [Add a provider to the catalogue](../adding-to-the-catalogue.md). The tests write these
            pages from the descriptors, the files of [`providers`](../../providers).

            ## Use a provider

            `carnet try google` prints each request of a sign-in at a sandbox, and needs no account. In a program that imports
            `CarnetTool`:

            ```swift
            \(example)```

            - Leave out `inputs` if the provider has none, and `credentials` if it accepts only `none`: a public client. For
              `private_key_jwt` without a method with a secret, pass `.signingKey(key)`.
            - `inputs` are values that differ between applications. The command takes them as `--input NAME=VALUE`.
            - An environment is another server of the provider: pass `environment:`, or `--environment NAME`.

            ## Register the application

            Enter the redirect URI exactly as the application sends it. Carnet uses these: for a web site,
            `https://YOUR-HOST/sign-in/ID/callback`, or the path that you chose; for a program on the user's own computer,
            `http://127.0.0.1/callback`. If the provider's page lists no redirect URIs, nobody knows which forms the provider accepts. If
            the page lists no console, read the provider's documentation.

            ## Read a page

            - **PKCE**, **Refresh**, **Revocation** and **Profile** say what a test client does during a sign-in, a refresh and a sign-out.
              "no" means that the provider lacks the feature, or that no source proves that the provider has it. The profile comes
              from a request with the access token, from the ID token or from the token response. "as announced" means that the
              provider's metadata decide, and that no copy of them was available. "rotation not known" means that no source says whether
              a refresh replaces the refresh token.
            - **Verified by** "own documents" means the provider's documentation, metadata or source code; "catalogues" means lists of
              providers in other libraries. The row **Not verified** of such a provider names them: check its facts before you rely on
              them. On some facts [the sources disagree](disagreements.md).
            - **Command** signs in at the real provider; [install it](../installing.md). With `--paste`, the provider accepts no redirect URI
              on this computer: register the one of the command, and paste the URL that the browser shows after the sign-in.
            - **Resources** are requests that are possible with the access token and the scopes.
            - **Notes** name the [keys](../descriptor-reference.md) that handle a difference from the standard or between sources.

            ## All providers


            """
            + ProviderPage.table(
                ["Provider", "Id", "PKCE", "Refresh", "Revocation", "Profile", "Verified", "Verified by"], rows)
        try check("Docs/providers/README.md", text)
    }

    @Test("The command on a page has a redirect URI that the provider accepts", arguments: ProviderRegistry.builtIn.ids)
    func command(id: ProviderID) throws {
        let page = try Repository.file("Docs/providers/\(id).md").text
        let command = try #require(page.firstMatch(of: /`carnet login ([^`]*)`/)).output.1
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

    /// A function that compiles.
    private static func snippet(_ name: String) throws -> String {
        let snippets = try Repository.file("Tests/Programs/Snippets/HostProgram/ProviderClients.swift").text
        return try String(#require(snippets.split(separator: /(?m)^(?=func )/).first { $0.contains("func \(name)(") }))
    }
}
