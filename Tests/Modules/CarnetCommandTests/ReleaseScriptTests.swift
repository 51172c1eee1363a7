import Foundation
import Testing

/// What `.ci/release` makes of a program. `Tests/Programs/Release/install.py` installs the files of a real one.
@Suite("Release script")
struct ReleaseScriptTests {
    #if os(Linux)
        @Test("the packages of a small program, byte for byte", .timeLimit(.minutes(5)))
        func packages() async throws {
            let run = try CommandRun(
                URL(filePath: "/usr/bin/env"),
                ["python3", "Tests/Programs/Release/packages.py"],
                environment: ProcessInfo.processInfo.environment,
                folder: BuiltProduct.package
            )
            let result = try await run.finish()
            #expect(result.status == 0, "\(result)")
            #expect(result.standardOutput.contains(#/\d\d passed, 0 failed/#), "\(result)")
        }
    #endif
}
