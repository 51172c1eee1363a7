import CarnetTestSupport
import Foundation
import Testing

#if os(Linux)
    /// The adapter for Vapor, compiled against `Tests/Support/VaporStubs`, as the files for Apple platforms are.
    @Suite("The adapter for Vapor")
    struct VaporTests {
        @Test("It compiles against the documented interfaces, with the file of the guide that it builds on")
        func compile() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-vapor-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let guide = CodeBlock.all(in: try Repository.file("Docs/guides/any-server.md"))
            let signIn = try #require(guide.first { $0.text.contains("struct SignIn {") })
            let file = folder.appending(path: "SignIn.swift")
            try signIn.text.write(to: file, atomically: true, encoding: .utf8)
            let compiler = StubCompiler(folder: folder)
            try compiler.module("Vapor", ["Tests/Support/VaporStubs/Vapor.swift"], isPackage: false)
            try compiler.typecheck(
                "Site", [file.path, "Tests/Programs/Snippets/Vapor/VaporSignIn.swift"], isPackage: false)
        }
    }
#endif
