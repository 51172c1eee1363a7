import CarnetTestSupport
import Foundation

#if os(Linux)
    /// The compiler, with stub modules on its import path.
    struct StubCompiler {
        let folder: URL

        func module(_ name: String, _ files: [String], isPackage: Bool) throws {
            try run(
                ["-emit-module", "-emit-module-path", folder.appending(path: "\(name).swiftmodule").path]
                    + ["-swift-version", "6"], name, files, isPackage)
        }

        func typecheck(
            _ name: String, _ files: [String], isPackage: Bool, settings: [String] = ["-swift-version", "6"]
        ) throws {
            try run(["-typecheck"] + settings, name, files, isPackage)
        }

        /// Swift 5 mode, with all declarations on the main actor by default.
        static let newProject = ["-swift-version", "5", "-default-isolation", "MainActor"]

        private func run(_ mode: [String], _ name: String, _ files: [String], _ isPackage: Bool) throws {
            let compiler = Process()
            let output = Pipe()
            compiler.executableURL = URL(filePath: "/usr/bin/env")
            compiler.currentDirectoryURL = Repository.root
            let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
            compiler.arguments =
                ["swiftc"] + mode + ["-parse-as-library", "-module-name", name]
                + features.flatMap { ["-enable-upcoming-feature", $0] }
                // SwiftPM names the package after its folder.
                + (isPackage ? ["-package-name", Repository.root.lastPathComponent.lowercased()] : [])
                + ["-I", folder.path, "-I", BuiltModules.folder.appending(path: "Modules").path]
                + BuiltModules.moduleMaps + files
            compiler.standardError = output
            compiler.standardOutput = output
            try compiler.run()
            let findings = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            compiler.waitUntilExit()
            struct Refused: Error, CustomStringConvertible { let description: String }
            guard compiler.terminationStatus == 0 else { throw Refused(description: "\(name): \(findings)") }
        }
    }
#endif
