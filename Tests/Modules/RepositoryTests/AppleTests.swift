import CarnetTestSupport
import Foundation
import Testing

/// The files for Apple platforms, compiled on Linux against `Tests/Support/AppleStubs`: interfaces that were written from Apple's
/// public documentation. Nothing of them runs. On a Mac the real frameworks are there, and the build itself compiles the files.
@Suite("The files for Apple platforms")
struct AppleTests {
    enum Platform: String, CaseIterable, CustomTestStringConvertible {
        case iOS = "UIKit"
        case macOS = "AppKit"
        var testDescription: String { "\(self) with \(rawValue)" }
    }

    #if os(Linux)
        @Test("They compile against the documented interfaces, and so do the sample apps", arguments: Platform.allCases)
        func compile(platform: Platform) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-apple-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let compiler = StubCompiler(folder: folder)
            let iOSAlone = platform == .iOS ? ["SafariServices"] : []
            for stub in ["os", "Security", platform.rawValue, "AuthenticationServices", "SwiftUI"] + iOSAlone {
                try compiler.module(stub, ["Tests/Support/AppleStubs/\(stub).swift"], isPackage: false)
            }
            try compiler.typecheck("Lock", ["Sources/CarnetFoundation/Locks/Lock.swift"], isPackage: true)
            let accessor = BuiltModules.folder.appending(
                path: "CarnetApple.build/DerivedSources/resource_bundle_accessor.swift")
            try compiler.module("CarnetApple", sources("CarnetApple") + [accessor.path], isPackage: true)
            if platform == .iOS { try PublicSurfaceTests.compareList(of: "CarnetApple", in: folder) }
            for app in ["Auth0", "Cloudentity", "Google"] {
                let files = try Repository.files("Examples/\(app)", "swift").map(\.path)
                #expect(files.count >= 2)
                try compiler.typecheck("\(app)Sample", files, isPackage: false)
            }
            for snippet in try Repository.files("Tests/Programs/Snippets/Apple", "swift").map(\.path) {
                let system = snippet.contains("UIKit") ? "UIKit" : snippet.contains("AppKit") ? "AppKit" : nil
                guard system == nil || system == platform.rawValue else { continue }
                try compiler.typecheck("Snippet", [snippet], isPackage: false)
            }
            guard platform == .iOS else { return }
            // What somebody copies: each block as it is printed, with imports alone before it where the page shows none.
            let imports = ["CarnetApple", "Foundation", "SwiftUI", "UIKit"]
            let blocks = CodeBlock.all(in: try Repository.file("Docs/apple.md")).filter { $0.info == "swift" }
            #expect(blocks.count >= 6)
            for (index, block) in blocks.enumerated() {
                let file = folder.appending(path: "Block\(index).swift")
                let text = block.text.contains("import ") ? "" : imports.map { "import \($0)\n" }.joined()
                // The page begins with a whole app.
                #expect(index > 0 || block.text.split(separator: "\n").count <= 12)
                try (text + block.text).write(to: file, atomically: true, encoding: .utf8)
                try compiler.typecheck("Block", [file.path], isPackage: false)
                // The settings of a new Xcode project.
                try compiler.typecheck("Block", [file.path], isPackage: false, settings: StubCompiler.newProject)
            }
        }

        @Test("The reader of YAML compiles against the libyaml inside Yams, which Apple platforms have")
        func libyamlOfYams() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-apple-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let text = try Repository.file("Sources/CarnetDescriptors/YAML/LibYAML.swift").text
            let file = folder.appending(path: "LibYAML.swift")
            let branch = text.replacing("#if canImport(CLibYAML)", with: "#if false")
            #expect(branch != text)
            try branch.write(to: file, atomically: true, encoding: .utf8)
            let others = try sources("CarnetDescriptors").filter { !$0.hasSuffix("/LibYAML.swift") }
            try StubCompiler(folder: folder).typecheck("CarnetDescriptors", others + [file.path], isPackage: true)
        }

        @Test("Without the stubs on the import path there is nothing to compile: the check sees the Apple branches")
        func stubsMatter() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-apple-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let probe = folder.appending(path: "probe.swift")
            let names = ["AppKit", "AuthenticationServices", "Security", "SwiftUI", "UIKit", "os"]
            try names.map { "#if canImport(\($0))\n#error(\"\($0)\")\n#endif\n" }.joined()
                .write(to: probe, atomically: true, encoding: .utf8)
            let compiler = StubCompiler(folder: folder)
            try compiler.typecheck("Probe", [probe.path], isPackage: false)
            try compiler.module("Security", ["Tests/Support/AppleStubs/Security.swift"], isPackage: false)
            #expect(throws: (any Error).self) { try compiler.typecheck("Probe", [probe.path], isPackage: false) }
        }
    #endif

    @Test("What decides something is in no file for Apple platforms alone")
    func logicIsElsewhere() throws {
        let files = try Repository.files("Sources/CarnetApple", "swift").filter { $0.text.hasPrefix("#if canImport(") }
        #expect(files.count >= 5)
        for file in files { #expect(file.lines.count <= 130, "\(file.path) is long: move its logic to a tested file") }
    }

    private func sources(_ module: String) throws -> [String] {
        try Repository.files("Sources/\(module)", "swift").map(\.path)
    }
}

@Suite("What an application links")
struct LinkedModuleTests {
    /// Every module of this package, and every product of others, that a product pulls in.
    private func closure(of products: [String]) throws -> (modules: Set<String>, products: Set<String>) {
        let graph = try PackageGraph.targets()
        var modules: Set<String> = []
        var linked: Set<String> = []
        var waiting = products
        while let name = waiting.popLast() {
            guard modules.insert(name).inserted else { continue }
            let direct = try #require(graph[name], "there is no target \(name)")
            waiting += direct.targets
            linked.formUnion(direct.products)
        }
        return (modules, linked)
    }

    @Test("An app for Apple platforms links these modules, and no swift-nio")
    func app() throws {
        let (modules, products) = try closure(of: ["CarnetApple", "CarnetURLSession"])
        #expect(
            modules == [
                "CLibCrypto", "CLibYAML", "CLibZ", "Carnet", "CarnetApple", "CarnetCatalog", "CarnetCrypto",
                "CarnetDescriptors", "CarnetFoundation", "CarnetProtocol", "CarnetStorage", "CarnetTransport",
                "CarnetURLSession",
            ])
        #expect(
            products == ["Crypto", "CryptoExtras", "HTTPTypes", "Logging", "Metrics", "Tracing", "Yams"])
        #expect(products.allSatisfy { !$0.hasPrefix("NIO") && !$0.contains("AsyncHTTPClient") })
    }

    /// The names are in Apple's list of APIs that require a reason.
    private static let categories: [String: Set<String>] = [
        "FileTimestamp": [
            "stat", "fstat", "lstat", "fstatat", "getattrlist", "fgetattrlist", "getattrlistat", "getattrlistbulk",
        ],
        "DiskSpace": ["statfs", "fstatfs", "statvfs", "fstatvfs"],
        "SystemBootTime": ["mach_absolute_time"],
    ]

    @Test("A module declares the APIs with required reasons that it references, and no other")
    func privacyManifests() throws {
        let (modules, _) = try closure(of: ["CarnetApple"])
        var declaring: [String] = []
        for module in modules.sorted() where !module.hasPrefix("CLib") {
            let objects = try FileManager.default.subpathsOfDirectory(
                atPath: BuiltModules.folder.appending(path: "\(module).build").path
            ).filter { $0.hasSuffix(".o") }
            #expect(!objects.isEmpty, "\(module)")
            let symbols = try Self.undefinedSymbols(
                of: objects.map { BuiltModules.folder.appending(path: "\(module).build/\($0)").path })
            let referenced = Self.categories.filter { !$0.value.isDisjoint(with: symbols) }.keys
            let manifest = try? Repository.file("Sources/\(module)/PrivacyInfo.xcprivacy").text
            let declared = (manifest ?? "").matches(of: /NSPrivacyAccessedAPICategory(\w+)</).map {
                String($0.output.1)
            }
            #expect(declared.sorted() == referenced.sorted(), "\(module)")
            if !declared.isEmpty { declaring.append(module) }
        }
        let package = try Repository.file("Package.swift").text
        #expect(package.contains("[\(declaring.map { "\"\($0)\"" }.joined(separator: ", "))].contains(target.name)"))
    }

    private static func undefinedSymbols(of objects: [String]) throws -> Set<String> {
        let program = Process()
        let output = Pipe()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = ["nm", "-u"] + objects
        program.standardOutput = output
        try program.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        program.waitUntilExit()
        return Set(text.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) })
    }

    @Test("All traits are on by default in a checkout, and none where a package manager fetched the package")
    func defaultTraits() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-traits-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func traits(in path: String) throws -> Set<String> {
            let copy = folder.appending(path: path)
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            try Repository.file("Package.swift").text.write(
                to: copy.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
            let dump = Process()
            let output = Pipe()
            dump.executableURL = URL(filePath: "/usr/bin/env")
            dump.arguments = ["swift", "package", "--package-path", copy.path, "dump-package"]
            dump.standardOutput = output
            dump.standardError = FileHandle.nullDevice
            try dump.run()
            let json = output.fileHandleForReading.readDataToEndOfFile()
            dump.waitUntilExit()
            let package = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
            let traits = try #require(package["traits"] as? [[String: Any]])
            return Set(traits.first { $0["name"] as? String == "default" }?["enabledTraits"] as? [String] ?? [])
        }
        #expect(try traits(in: "carnet").count == 4)
        #expect(try traits(in: "app/.build/checkouts/carnet").isEmpty)
        #expect(try traits(in: "SourcePackages/checkouts/carnet").isEmpty)
    }

    @Test("A tool links no swift-nio either")
    func tool() throws {
        let (_, products) = try closure(of: ["CarnetTool", "CarnetUserAgent", "CarnetTesting"])
        #expect(products == ["Crypto", "CryptoExtras", "HTTPTypes", "Logging", "Metrics", "Tracing", "Yams"])
    }

    /// Its folders are synchronized with those on the disk, so it lists no files.
    @Test("The Xcode project of the sample apps has each app, its folder and the product that it links")
    func project() throws {
        let text = try Repository.file("Examples/Examples.xcodeproj/project.pbxproj").text
        let project = try #require(
            try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil) as? [String: Any])
        let objects = try #require(project["objects"] as? [String: [String: Any]])
        func values(_ isa: String, _ key: String) -> [String] {
            objects.values.filter { $0["isa"] as? String == isa }.compactMap { $0[key] as? String }.sorted()
        }
        let apps = ["Auth0", "Cloudentity", "Google"]
        #expect(values("PBXNativeTarget", "name") == apps)
        #expect(values("PBXFileSystemSynchronizedRootGroup", "path") == apps)
        #expect(
            values("XCSwiftPackageProductDependency", "productName")
                == ["CarnetApple", "CarnetApple", "CarnetApple", "CarnetTesting"])
        #expect(values("XCLocalSwiftPackageReference", "relativePath") == [".."])
        // Everything that an object refers to is there.
        let root = try #require(project["rootObject"] as? String)
        #expect(objects[root]?["isa"] as? String == "PBXProject")
        let used = objects.values.flatMap(\.values).flatMap { value -> [String] in
            value as? [String] ?? [value as? String].compactMap { $0 }
        }.filter { $0.count == 24 && $0.hasPrefix("CA") }
        #expect(used.count > 20 && used.allSatisfy { objects[$0] != nil })
        // Each app's registration begins with the bundle id of its target, unless its tutorial has another scheme.
        for app in apps {
            let clients = try Repository.file("Examples/\(app)/clients.yaml").text
            #expect(clients.contains("YOUR-CLIENT-ID") && clients.contains("redirect_uri:"), "\(app)")
        }
    }

    @Test("The same question finds swift-nio where it is")
    func server() throws {
        let (_, products) = try closure(of: ["CarnetHTTP"])
        #expect(products.contains("NIOCore"))
    }

    @Test("Nothing uses the module Synchronization, which iOS 17 and macOS 14 do not have, but the lock on Linux")
    func minimumVersions() throws {
        let files = try Repository.files("Sources", "swift") + Repository.files("Tests", "swift")
        let users = files.filter {
            $0.lines.contains { $0.text.hasSuffix("import Synchronization") }
        }
        #expect(users.map(\.path) == ["Sources/CarnetFoundation/Locks/Lock.swift"])
        let manifest = try Repository.file("Package.swift").text
        #expect(manifest.contains("[.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)]"))
    }
}
