import Carnet
import Foundation
import Testing

@testable import CarnetUserAgent

@Suite("Presentation")
struct PresentationTests {
    @Test(
        "URLs that are opened",
        arguments: [
            "https://op.example/authorize?a=b&c=%20", "https://op.example", "HTTPS://op.example:8443/$(touch%20x)",
            "http://127.0.0.1:8080/authorize", "http://[::1]:8080/", "http://localhost/",
            "https://op.example/#/authorize?a=b",
        ])
    func urlsThatAreOpened(url: String) throws {
        #expect(try AuthorizationURL(url).text == url)
    }

    @Test(
        "URLs that are rejected",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ftp://op.example/", "http://op.example/",
            "http://127.0.0.1.evil.example/", "https://", "https:///x", "https:op.example", "https://a@op.example/",
            "https://op.example/\"x", "https://op.example/ x", "https://op.example/\n", "https://op.example/`x`",
            "https://op\\evil.example/", "-https://op.example", "", "op.example", "http://127.0.0.1@op.example/",
        ])
    func urlsThatAreRefused(url: String) {
        let error = #expect(throws: UserAgentError.self) { try AuthorizationURL(url) }
        #expect(error?.kind == .cannotPresent)
        #expect(error?.reason.contains("op.example") == false)
    }

    #if os(macOS) || os(Linux)
        @Test("Opener gets one clean argument")
        func openerGetsOneCleanArgument() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-open-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let url = "https://op.example/a?x=$(touch$IFS'pwned');b&c=*"
            let (failures, failed) = AsyncStream<String>.makeStream()
            // It fails once it has written its arguments, so that the test knows when to look.
            let script = #"printf '%s\n' "$#" "$@" > "$0"; exit 1"#
            let output = folder.appending(path: "arguments").path
            let page = await Presentation.command(["/bin/sh", "-c", script, output]) {
                failed.yield($0)
                failed.finish()
            }
            .present(try AuthorizationURL(url)) { Issue.record("there is another way to show the URL") }
            for await shown in failures {
                #expect(shown == url)
            }
            let shown = try #require(page?.url.text)
            #expect(try String(contentsOfFile: output, encoding: .utf8) == "1\n\(shown)\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["arguments"])
            #expect(shown.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{64}/) != nil)
        }

        @Test("The address is shown as well if an opener blocks")
        func blockedOpener() async throws {
            let (shown, told) = AsyncStream<String>.makeStream()
            let page = await Presentation.command(["/bin/sh", "-c", "sleep 5"]) { told.yield($0) }
                .present(try AuthorizationURL("https://op.example/a")) {}
            #expect(await shown.first { _ in true } == "https://op.example/a")
            await page?.close()
        }

        @Test("Opener inherits neither the variables of Carnet nor those that the host names")
        func openerInheritsNoSecret() {
            let all = [
                "PATH": "/bin", "CARNET_ACME_CLIENT_SECRET": "a", "CARNET_": "b", "ACME_SECRET": "c", "carnet_x": "d",
                "CARNETS": "e", "OLD_ACME_SECRET": "f",
            ]
            let rest = Presentation.environment(all, without: ["ACME_SECRET", "MISSING"])
            #expect(rest == ["PATH": "/bin", "carnet_x": "d", "CARNETS": "e", "OLD_ACME_SECRET": "f"])
        }

        @Test(
            "URL is shown if the browser cannot be opened",
            arguments: [["/nonexistent/opener"], ["/usr/bin/env", "carnet-no-such-opener"]])
        func urlIsShownIfTheBrowserCannotBeOpened(command: [String]) async throws {
            let (failures, failed) = AsyncStream<String>.makeStream()
            let page = await Presentation.command(command) {
                failed.yield($0)
                failed.finish()
            }
            .present(try AuthorizationURL("https://op.example/")) {
                Issue.record("there is another way to show the URL")
            }
            var shown: [String] = []
            for await url in failures { shown.append(url) }
            #expect(shown == ["https://op.example/"])
            await page?.close()
        }

        @Test("Sign-in ends if no browser can be opened and no other agent gets the URL")
        func signInEndsIfNoBrowserCanBeOpened() async throws {
            let agent = LoopbackUserAgent(presentation: .command(["/usr/bin/env", "carnet-no-such-opener"]))
            let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/callback")
            await #expect(throws: UserAgentError(.cannotPresent, "the system's browser could not be opened")) {
                try await presenter.present("https://op.example/") { _ in true }
            }
        }
    #endif
}
