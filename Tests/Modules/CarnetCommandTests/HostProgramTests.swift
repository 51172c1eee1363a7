import Foundation
import Testing

/// The README's program, as written: it selects a dropped-in provider by name and signs in.
@Suite("Host program")
struct HostProgramTests {
    #if os(Linux)
        @Test("It signs in through the browser and greets the user")
        func itSignsInThroughTheBrowser() async throws {
            let home = try CommandHome()
            let port = try Sample.freePort()
            try home.write(Sample.acme(issuer: "http://127.0.0.1:\(port)"), to: "providers/acme.yaml")
            try home.write(
                "acme: { client_id: carnet-sandbox, redirect_uri: 'http://127.0.0.1/callback' }\n", to: "clients.yaml")
            let sandbox = try home.start(["sandbox", "acme", "--port", String(port)])
            _ = try await sandbox.line(0, of: .standardOutput)

            // A browser whose user agrees to everything.
            let browser = try home.write(
                "#!/bin/sh\nexec python3 -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1]).read()' \"$1\"\n",
                to: "bin/xdg-open"
            )
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser.path)
            var environment = home.environment
            environment["PATH"] = browser.deletingLastPathComponent().path + ":/usr/local/bin:/usr/bin:/bin"

            let program = try CommandRun(
                BuiltProduct.folder.appending(path: "HostProgram"),
                [],
                environment: environment,
                folder: home.folder
            )
            let result = try await program.finish()
            #expect(result.status == 0, "\(result)")
            #expect(result.standardOutput == "Hello, Ada Example\n")
        }
    #endif
}
