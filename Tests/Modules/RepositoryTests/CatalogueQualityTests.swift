import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetSimulation
import CarnetTestSupport
import Foundation
import Testing

/// What a program can check of the list in `Docs/adding-to-the-catalogue.md`.
@Suite("The quality of the catalogue")
struct CatalogueQualityTests {
    private static let entries = ProviderRegistry.builtIn.entries

    @Test("At least 120 providers come with Carnet, and each file is one of them")
    func count() throws {
        let ids = ProviderRegistry.builtIn.ids
        #expect(ids.count >= 120)
        #expect(try Repository.files("providers", "yaml").map(\.path) == ids.map { "providers/\($0).yaml" }.sorted())
        #expect(Self.entries.map(\.descriptor.id) == ids)
        #expect(ProviderRegistry.builtIn.broken.isEmpty)
    }

    @Test("Every file lints without a finding, its requests and samples included")
    func lint() throws {
        let files = try Repository.files("providers", "yaml").map { SourceFile(path: $0.path, text: $0.text) }
        let report = Linter(simulator: SampleSimulator()).lint(files: files)
        let findings = report.diagnostics.filter { $0.severity != .information }
        #expect(findings.isEmpty, "\(findings.map(\.description).joined(separator: "\n"))")
    }

    @Test("Every provider has its evidence")
    func evidence() {
        for entry in Self.entries {
            let descriptor = entry.descriptor
            #expect(descriptor.docs != nil, "\(descriptor.id) has no docs")
            #expect(descriptor.verified != nil, "\(descriptor.id) has no verified")
            #expect(descriptor.samples.token != nil, "\(descriptor.id) has no sample of a token response")
        }
    }

    @Test("Every input has a value to try it with, and a title")
    func inputs() {
        for entry in Self.entries {
            for input in entry.descriptor.inputs.items {
                let rules = input.value
                let hasValue = rules.example != nil || rules.defaultValue != nil || !rules.allowed.isEmpty
                #expect(hasValue || rules.isOptional, "\(entry.descriptor.id): \(input.name) has no example")
                #expect(rules.title != nil, "\(entry.descriptor.id): \(input.name) has no title")
            }
        }
    }

    @Test("A scope of a sign-in button has a title, so that a consent page can explain it")
    func scopes() {
        for entry in Self.entries {
            let rules = entry.descriptor.scopes
            let titled = Set(rules.catalog.filter { $0.title != nil }.map(\.id))
            let missing = Set(rules.defaults + rules.required).subtracting(titled)
            #expect(missing.isEmpty, "\(entry.descriptor.id): \(missing.sorted()) have no title")
        }
    }

    @Test("No sample has an address or a picture of a person")
    func samples() throws {
        for file in try Repository.files("providers", "yaml") {
            let addresses = file.text.matches(of: /[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[a-z]{2,}/).map {
                String($0.output)
            }
            for address in addresses {
                let host = address.split(separator: "@").last ?? ""
                #expect(
                    host.contains("example") || host.hasSuffix("privaterelay.appleid.com"),
                    "\(file.path) has the address \(address)")
            }
        }
    }
}
