#if os(Linux)
    import Foundation
    import Testing

    /// A program that was built beside a new libcurl, on a system with an older one.
    @Suite("Old libcurl")
    struct OldLibraryTests {
        private let home: CommandHome

        init() throws {
            home = try CommandHome()
        }

        /// The environment in which the system's libcurl has this version, and none of the options that are newer.
        private func environment(version: String, number: String) async throws -> [String: String] {
            let folder = home.folder.appending(path: version)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let shell =
                #"clang -print-file-name=libcurl.so.4 | { read -r path; exec clang -shared -fPIC "-DLIBCURL=\"$path\"" "$@"; }"#
            let compiler = try CommandRun(
                URL(filePath: "/usr/bin/env"),
                [
                    "sh", "-c", shell, "sh", "-DVERSION=\"\(version)\"", "-DVERSION_NUMBER=\(number)",
                    "Tests/Programs/Release/old_libcurl.c", "-o", folder.appending(path: "libcurl.so.4").path,
                ],
                environment: ProcessInfo.processInfo.environment,
                folder: BuiltProduct.package
            )
            let compiled = try await compiler.finish()
            try #require(compiled.status == 0, "\(compiled)")
            let path = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":\($0)" } ?? ""
            return ["LD_LIBRARY_PATH": folder.path + path]
        }

        @Test("a request with the oldest libcurl of a supported system: Ubuntu 22.04 has 7.81")
        func request() async throws {
            let port = try Sample.freePort()
            try home.write(Sample.acme(issuer: "http://127.0.0.1:\(port)"), to: "providers/acme.yaml")
            let sandbox = try await RunningSandbox(home, "acme", "--port", String(port))
            defer { sandbox.run.stop() }
            let old = try await environment(version: "7.81.0", number: "0x075100")
            let compared = try await home.run("compare", "acme", environment: old)
            #expect(compared.standardOutput.contains("agrees with the descriptor"), "\(compared)")
            #expect(try await home.run("doctor", environment: old).standardOutput.contains("libcurl 7.81.0"))
        }

        @Test("a libcurl that is too old is named, with what to install")
        func tooOld() async throws {
            try home.write(Sample.acme(issuer: "http://127.0.0.1:1"), to: "providers/acme.yaml")
            let old = try await environment(version: "7.74.0", number: "0x074a00")
            let compared = try await home.run("compare", "acme", environment: old)
            #expect(compared.status != 0)
            #expect(
                compared.standardError.contains("no libcurl 7.80 or newer, only 7.74.0; install libcurl4"),
                "\(compared)")
            #expect(!compared.standardError.contains("try again"), "\(compared)")
            let checked = try await home.run("doctor", environment: old)
            #expect((checked.standardOutput + checked.standardError).contains("only 7.74.0"), "\(checked)")
        }
    }
#endif
