import CarnetTestSupport
import Foundation
import Testing

/// What each module may import beside the standard library and its own system's frameworks: the picture of
/// Docs/architecture.md.
private let allowedImports: [String: Set<String>] = [
    "CarnetFoundation": ["Foundation", "FoundationEssentials"],
    "CarnetDescriptors": ["CLibYAML", "CYaml", "CarnetFoundation"],
    "CarnetLint": ["CarnetDescriptors"],
    "CarnetCatalog": ["Carnet"],
    "CarnetProviders": ["Foundation", "PackagePlugin"],
    "CarnetCatalogEmbedding": ["Foundation", "PackagePlugin"],
    "CarnetLintProviders": ["Foundation", "PackagePlugin"],
    "CarnetEmbedding": [],
    "carnet-embedding-tool": ["CarnetEmbedding", "CarnetFoundation"],
    "carnet-descriptor-tool": ["CarnetDescriptors", "CarnetEmbedding", "CarnetFoundation", "CarnetLint"],
    "CarnetProtocol": ["CarnetDescriptors", "CarnetFoundation", "Crypto", "CryptoExtras", "HTTPTypes"],
    "Carnet": [
        "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "HTTPTypes", "Logging", "Metrics", "Tracing",
    ],
    "CarnetTransport": ["CLibZ", "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "HTTPTypes"],
    "CarnetCurl": [
        "CLibCurl", "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetTransport", "HTTPTypes",
    ],
    "CarnetHTTP": [
        "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetTransport", "AsyncHTTPClient",
        "HTTPTypes", "NIOCore",
        "NIOHTTP1", "NIOPosix", "NIOSSL",
    ],
    "CarnetURLSession": [
        "Foundation", "FoundationNetworking", "Carnet", "CarnetDescriptors", "CarnetProtocol", "CarnetTransport",
        "HTTPTypes",
    ],
    "CarnetApple": ["Foundation", "Carnet", "CarnetDescriptors", "CarnetProtocol", "CarnetStorage"],
    "CarnetSwiftUI": ["Foundation", "Carnet", "CarnetApple", "CarnetDescriptors", "CarnetProtocol"],
    "CarnetUserAgent": [
        "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "NIOCore", "NIOHTTP1", "NIOPosix",
    ],
    "CarnetStorage": ["Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "Crypto"],
    "CarnetWeb": [
        "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetStorage", "Crypto", "HTTPTypes",
        "Logging",
    ],
    "CarnetHummingbird": ["CarnetWeb", "HTTPTypes", "Hummingbird", "NIOCore", "ServiceLifecycle"],
    "CarnetFiles": ["Carnet", "CarnetFoundation", "CarnetProtocol", "CarnetStorage"],
    "CarnetSQLite": ["Carnet", "CarnetFoundation", "CarnetProtocol", "CarnetStorage", "GRDB"],
    "CarnetPostgreSQL": [
        "CLibPQ", "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetStorage",
    ],
    "CarnetSandbox": ["CarnetDescriptors", "CarnetFoundation", "Crypto", "CryptoExtras", "HTTPTypes"],
    "CarnetSandboxServer": ["CarnetDescriptors", "CarnetSandbox", "HTTPTypes", "Hummingbird", "Logging", "NIOCore"],
    "CarnetSimulation": ["CarnetDescriptors", "CarnetFoundation", "CarnetLint", "CarnetProtocol", "HTTPTypes"],
    "CarnetTesting": [
        "Carnet", "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetSandbox", "HTTPTypes",
    ],
    "CarnetCommand": [
        "Carnet", "CarnetCatalog", "CarnetCurl", "CarnetDescriptors", "CarnetFiles", "CarnetFoundation", "CarnetHTTP",
        "CarnetLint",
        "CarnetProtocol",
        "CarnetSandbox", "CarnetSandboxServer", "CarnetSimulation", "CarnetTesting", "CarnetTransport",
        "CarnetUserAgent",
        "CarnetHummingbird",
        "CarnetWeb", "ArgumentParser",
        "HTTPTypes", "Hummingbird", "Logging", "NIOCore",
    ],
]

/// Part of the toolchain, or of the system.
private let systemModules: Set<String> = [
    "Synchronization", "Dispatch", "Glibc", "Darwin",
    "Musl", "AuthenticationServices", "UIKit", "AppKit", "Security", "SwiftUI", "Observation", "os",
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
        #expect(Set(folders).subtracting(["CLibCurl", "CLibPQ", "CLibYAML", "CLibZ"]) == Set(allowedImports.keys))
    }

    /// Ids that are words of the code base too, with what they mean there.
    private static let ordinaryWords = [
        "apple": "the platforms",
        "box": "a sealed box of AES-GCM",
        "github": "the report format of GitHub Actions",
        "line": "a line of text",
        "linear": "a linear time or scale",
        "threads": "the threads of a process",
    ]

    @Test("Nothing outside providers/ depends on a provider's name")
    func noProviderNamedInSources() throws {
        let descriptors = try Repository.files("providers", "yaml")
        let ids = Set(descriptors.map { String($0.path.dropFirst("providers/".count).dropLast(".yaml".count)) })
        #expect(ids.count >= 120)
        #expect(ids.isSuperset(of: Self.ordinaryWords.keys))
        let names = ids.subtracting(Self.ordinaryWords.keys)
        let hosts = Set(descriptors.flatMap(\.hosts))
        #expect(hosts.count >= 120)
        for file in try Repository.files("Sources", "swift") {
            for (number, line) in file.lines {
                let place = "\(file.path):\(number)"
                let words = line.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" }
                let named = words.first { names.contains(String($0)) }
                #expect(named == nil, "\(place) names \(named ?? "")")
                // As a member of JSON, `line` is the line of a finding.
                let literal = line.matches(of: /"([a-z0-9-]+)"/).first {
                    $0.output.1 != "line" && ids.contains(String($0.output.1))
                }
                #expect(literal == nil, "\(place) names \(literal?.output.1 ?? "")")
                // `ProviderID.line` and its like are made at build time.
                let constant = line.matches(of: /ProviderID\.`?([A-Za-z0-9_]+)/).first {
                    ids.contains($0.output.1.lowercased())
                }
                #expect(constant == nil, "\(place) names \(constant?.output.1 ?? "")")
                guard !isComment(line) else { continue }
                let host = hosts.first { line.contains($0) }
                #expect(host == nil, "\(place) has the host \(host ?? "")")
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
        let needed: Set = [
            "Package.swift", "Sources", "Tests", "Examples", "providers", "Docs", "README.md", "LICENSE",
            "CHANGELOG.md",
            "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md",
        ]
        #expect(Set(visible) == needed)
    }

    @Test("Every test and every suite has a display name")
    func displayNames() throws {
        let unnamed = /^\s*@(?:Test|Suite)(?! *\((?: *$| *"))/
        for file in try Repository.files("Tests", "swift") {
            for (line, number) in zip(file.text.split(separator: "\n", omittingEmptySubsequences: false), 1...) {
                #expect(line.firstMatch(of: unnamed) == nil, "\(file.path):\(number) has no display name")
            }
        }
    }

    @Test("The Swift sources are formatted, and force nothing")
    func formatting() throws {
        let format = Process()
        let output = Pipe()
        format.executableURL = URL(filePath: "/usr/bin/env")
        format.arguments = [
            "swift", "format", "lint", "--recursive", "--strict", "Package.swift", "Sources", "Tests", "Examples",
        ]
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

extension Repository.File {
    /// The hosts that a descriptor names for its endpoints and its API.
    fileprivate var hosts: [String] {
        text.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^ *-? *[a-z_]+: "?https:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)[\/"]/)
        }.map { String($0.output.1) }.filter { !$0.hasSuffix(".example") && !$0.contains("example.") }
    }
}
