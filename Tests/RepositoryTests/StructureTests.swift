import Foundation
import Testing

/// What each module may import beside the standard library, Foundation and its own system's frameworks: the picture of
/// Docs/architecture.md.
private let allowedImports: [String: Set<String>] = [
    "CarnetDescriptors": ["CLibYAML", "CYaml"],
    "CarnetLint": ["CarnetDescriptors"],
    "CarnetCatalog": ["CarnetDescriptors"],
    "CarnetProviders": ["PackagePlugin"],
    "carnet-descriptor-tool": ["CarnetDescriptors", "CarnetLint"],
    "CarnetProtocol": ["CarnetDescriptors", "Crypto", "CryptoExtras", "HTTPTypes"],
    "Carnet": ["CarnetDescriptors", "CarnetProtocol", "HTTPTypes", "Logging", "Metrics", "Tracing"],
    "CarnetHTTP": [
        "Carnet", "CarnetProtocol", "AsyncHTTPClient", "HTTPTypes", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
    ],
    "CarnetURLSession": ["Carnet", "CarnetHTTP", "CarnetProtocol", "HTTPTypes"],
    "CarnetUserAgent": ["Carnet", "CarnetDescriptors", "CarnetProtocol", "NIOCore", "NIOHTTP1", "NIOPosix"],
    "CarnetStorage": ["Carnet", "CarnetProtocol", "Crypto"],
    "CarnetWeb": [
        "Carnet", "CarnetDescriptors", "CarnetProtocol", "CarnetStorage", "Crypto", "HTTPTypes", "Logging",
    ],
    "CarnetHummingbird": ["CarnetWeb", "HTTPTypes", "Hummingbird", "NIOCore"],
    "CarnetFiles": ["Carnet", "CarnetProtocol", "CarnetStorage"],
    "CarnetSQLite": ["Carnet", "CarnetProtocol", "CarnetStorage", "GRDB"],
    "CarnetPostgreSQL": ["CLibPQ", "Carnet", "CarnetProtocol", "CarnetStorage"],
    "CarnetSandbox": ["CarnetDescriptors", "Crypto", "CryptoExtras", "HTTPTypes", "Hummingbird", "Logging", "NIOCore"],
    "CarnetSimulation": ["CarnetDescriptors", "CarnetLint", "CarnetProtocol", "HTTPTypes"],
    "CarnetTesting": ["Carnet", "CarnetDescriptors", "CarnetProtocol", "HTTPTypes"],
    "CarnetCommand": [
        "Carnet", "CarnetCatalog", "CarnetDescriptors", "CarnetFiles", "CarnetHTTP", "CarnetLint", "CarnetProtocol",
        "CarnetSandbox", "CarnetSimulation", "CarnetUserAgent", "CarnetHummingbird", "CarnetWeb", "ArgumentParser",
        "HTTPTypes", "Hummingbird", "Logging", "Mustache", "NIOCore",
    ],
]

/// Part of the toolchain, or of the system.
private let systemModules: Set<String> = [
    "Foundation", "FoundationEssentials", "FoundationNetworking", "Synchronization", "Dispatch", "Glibc", "Darwin",
    "Musl", "AuthenticationServices", "UIKit", "AppKit", "Security",
]

@Suite("The structure of the repository")
struct StructureTests {
    @Test("Every module imports only what the architecture allows", arguments: allowedImports.keys.sorted())
    func importDirections(module: String) throws {
        let allowed = try #require(allowedImports[module]).union(systemModules)
        let files = try Repository.files("Sources/\(module)", "swift")
        #expect(!files.isEmpty, "Sources/\(module) has no Swift files")
        for file in files {
            for (number, line) in file.lines {
                guard let imported = importedModule(line) else { continue }
                #expect(allowed.contains(imported), "\(file.path):\(number) imports \(imported)")
            }
        }
    }

    @Test("Every folder of Sources is in the picture")
    func everyModuleIsKnown() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "Sources").path)
        #expect(Set(folders).subtracting(["CLibPQ", "CLibYAML"]) == Set(allowedImports.keys))
    }

    @Test("Nothing outside providers/ depends on a provider's name")
    func noProviderNamedInSources() throws {
        let ids = try Repository.files("providers", "yaml").map { file in
            String(file.path.dropFirst("providers/".count).dropLast(".yaml".count))
        }
        #expect(ids.count >= 3)
        for file in try Repository.files("Sources", "swift") {
            for (number, line) in file.lines {
                let words = line.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" }
                let named = ids.first { id in words.contains { $0 == id } }
                #expect(named == nil, "\(file.path):\(number) names \(named ?? "")")
            }
        }
    }

    @Test("Time, randomness and printing come from outside")
    func noAmbientInputs() throws {
        let forbidden = [
            "Date()", "Date.now", "UUID()", "SystemRandomNumberGenerator()", ".random(in", "randomElement()",
        ]
        for file in try Repository.files("Sources", "swift") where !file.path.hasSuffix("Defaults.swift") {
            for (number, line) in file.lines where !isComment(line) {
                let found = forbidden.first { line.contains($0) }
                #expect(found == nil, "\(file.path):\(number) uses \(found ?? "")")
            }
        }
    }

    @Test("Libraries do not print, and nothing forces an error or a value away")
    func noShortcuts() throws {
        for file in try Repository.files("Sources", "swift") {
            let isLibrary = !file.path.hasPrefix("Sources/CarnetCommand/")
            for (number, line) in file.lines where !isComment(line) {
                let call = line.firstRange(of: "print(").map { line[..<$0.lowerBound].last }
                let prints =
                    isLibrary && call.map { $0.map { !$0.isLetter && $0 != "." && $0 != "_" } ?? true } ?? false
                #expect(!prints, "\(file.path):\(number) prints")
                let found = ["try!", " as! ", "fatalError("].first { line.contains($0) }
                #expect(found == nil, "\(file.path):\(number) uses \(found ?? "")")
            }
        }
    }

    @Test("The top level holds nothing but what belongs there")
    func topLevel() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        let visible = names.filter { !$0.hasPrefix(".") && $0 != "Package.resolved" }
        #expect(Set(visible) == ["Package.swift", "Sources", "Tests", "providers", "Docs", "README.md"])
    }

    @Test("The Swift sources are formatted, and force nothing")
    func formatting() throws {
        let format = Process()
        let output = Pipe()
        format.executableURL = URL(filePath: "/usr/bin/env")
        format.arguments = ["swift", "format", "lint", "--recursive", "--strict", "Package.swift", "Sources", "Tests"]
        format.currentDirectoryURL = Repository.root
        format.standardError = output
        try format.run()
        let findings = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        format.waitUntilExit()
        #expect(format.terminationStatus == 0, "\(findings)")
    }

    private func importedModule(_ line: Substring) -> String? {
        var words = line.split(separator: " ")[...]
        while let word = words.first,
            word.hasPrefix("@") || ["public", "package", "internal", "private"].contains(word)
        {
            words = words.dropFirst()
        }
        guard words.first == "import" else { return nil }
        words = words.dropFirst()
        if let kind = words.first, ["struct", "class", "enum", "func", "protocol"].contains(kind) {
            words = words.dropFirst()
        }
        return words.first.map { String($0.prefix { $0 != "." }) }
    }

    private func isComment(_ line: Substring) -> Bool {
        line.drop { $0 == " " }.hasPrefix("//")
    }
}
