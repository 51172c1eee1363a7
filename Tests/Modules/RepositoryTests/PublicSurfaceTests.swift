import CarnetTestSupport
import Foundation
import Testing

/// The public declarations of each product, one list in `PublicSurface/` for each, so that a change shows in review. With
/// `CARNET_UPDATE_DOCS=1` in the environment the lists are written anew.
@Suite("The public surface")
struct PublicSurfaceTests {
    private static let products = [
        "Carnet", "CarnetApple", "CarnetCatalog", "CarnetCurl", "CarnetHTTP", "CarnetHummingbird",
        "CarnetLint",
        "CarnetPostgreSQL", "CarnetResourceServer",
        "CarnetSQLite", "CarnetSandbox", "CarnetStorage", "CarnetTesting", "CarnetTool", "CarnetURLSession",
        "CarnetUserAgent",
        "CarnetWeb",
    ]

    /// Most of what these declare is for Apple platforms: `AppleTests` compares their lists.
    private static let appleProducts: Set = ["CarnetApple"]

    @Test(
        "Every product declares what its list says, and nothing else",
        arguments: products.filter { !appleProducts.contains($0) })
    func list(product: String) throws {
        try Self.compareList(of: product)
    }

    /// - Parameter folder: Where else to search for modules.
    static func compareList(of product: String, in folder: URL? = nil) throws {
        let declared = try SymbolGraph.declarations(of: product, in: folder).joined(separator: "\n") + "\n"
        let file = Repository.root.appending(path: "Tests/Modules/RepositoryTests/PublicSurface/\(product).txt")
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try declared.write(to: file, atomically: true, encoding: .utf8)
        } else {
            let listed = try String(contentsOf: file, encoding: .utf8)
            #expect(declared == listed, "the surface of \(product) changed; run the tests with CARNET_UPDATE_DOCS=1")
        }
    }

    /// Cases of enumerations do not count, nor do the constants of the catalogue, one for each provider. `Docs/decisions/public-surface.md` says why they are not fewer.
    @Test("The surface stays small: the limits are lowered with it, and not raised without a reason")
    func limits() throws {
        func declarations(of product: String) throws -> [String] {
            try Repository.file("Tests/Modules/RepositoryTests/PublicSurface/\(product).txt").text.split(
                separator: "\n"
            )
            .map(String.init).filter { !$0.hasSuffix("(enum.case)") }
        }
        let reached = try declarations(of: "Carnet").count
        #expect(reached <= 301, "import Carnet reaches \(reached) declarations")
        let all = try Set(
            Self.products.filter { $0 != "CarnetCatalog" }.flatMap { try declarations(of: $0) }
        ).count
        #expect(all <= 603, "the products have \(all) declarations")
    }

    @Test("Each module of a product has a list, and there are eleven products at most")
    func everyModuleHasAList() throws {
        let manifest = try Repository.file("Package.swift").text
        let libraries = manifest.matches(of: /\.library\(name: "\w+", targets: \[([^\]]+)\]/)
        let modules = libraries.flatMap { $0.output.1.matches(of: /\w+/).map { String($0.output) } }
        #expect(libraries.count <= 11)
        #expect(Set(modules) == Set(Self.products))
    }
}

/// What the compiler says of the modules that these tests were built with.
private enum SymbolGraph {
    private struct Graph: Decodable {
        struct Symbol: Decodable {
            struct Kind: Decodable { let identifier: String }
            let kind: Kind
            let pathComponents: [String]
        }
        let symbols: [Symbol]
    }

    /// Kind and name of each declaration that an import of the product brings, those of re-exported types included.
    static func declarations(of product: String, in folder: URL?) throws -> [String] {
        let exports = try Repository.files("Sources/\(product)", "swift").flatMap { file in
            file.text.matches(of: /@_exported public import \w+ (Carnet\w*)\.(\w+)/).map {
                (module: String($0.output.1), type: String($0.output.2))
            }
        }
        var lines = try symbols(of: product, in: folder).map(line)
        for module in Set(exports.map(\.module)) {
            let types = Set(exports.filter { $0.module == module }.map(\.type))
            lines += try symbols(of: module, in: nil).filter { types.contains($0.pathComponents[0]) }.map(line)
        }
        return lines.sorted()
    }

    private static func line(_ symbol: Graph.Symbol) -> String {
        "\(symbol.pathComponents.joined(separator: ".")) (\(symbol.kind.identifier.dropFirst("swift.".count)))"
    }

    private static func symbols(of module: String, in folder: URL?) throws -> [Graph.Symbol] {
        let output = FileManager.default.temporaryDirectory.appending(path: "carnet-surface-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: output) }
        let extract = Process()
        extract.executableURL = URL(filePath: "/usr/bin/env")
        extract.arguments =
            [
                "swift", "symbolgraph-extract", "-module-name", module, "-I", (folder ?? BuiltModules.folder).path,
                "-I",
                BuiltModules.folder.appending(path: "Modules").path,
                "-target", target, "-minimum-access-level", "public", "-skip-synthesized-members",
                "-skip-inherited-docs", "-output-dir", output.path,
            ] + BuiltModules.moduleMaps
        let errors = Pipe()
        extract.standardError = errors
        try extract.run()
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        extract.waitUntilExit()
        try #require(extract.terminationStatus == 0, "\(module): \(complaint)")
        let names = try FileManager.default.contentsOfDirectory(atPath: output.path)
        return try names.filter { $0 == "\(module).symbols.json" || $0.hasPrefix("\(module)@Carnet") }.flatMap { name in
            try JSONDecoder().decode(Graph.self, from: Data(contentsOf: output.appending(path: name))).symbols
        }
    }

    private static let target: String = {
        #if os(macOS) && arch(arm64)
            "arm64-apple-macosx15.0"
        #elseif os(macOS)
            "x86_64-apple-macosx15.0"
        #elseif arch(arm64)
            "aarch64-unknown-linux-gnu"
        #else
            "x86_64-unknown-linux-gnu"
        #endif
    }()
}
