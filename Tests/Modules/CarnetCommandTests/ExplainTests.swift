import Carnet
import CarnetFoundation
import CarnetProtocol
import Foundation
import Testing

@testable import CarnetCommand

@Suite("Explained errors")
struct ExplainTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test("The command knows what the page of errors says")
    func pages() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs/errors.md")
        let rows = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
            .matches(of: /\n\| <a id="(\w+)"><\/a>`\w+` \| ([^\n]*) \| ([^\n]*) \| [^|\n]* \|/)
            .map { $0.output }
        #expect(rows.count > 55)
        #expect(rows.map { String($0.1) } == ErrorRow.all.map(\.kind.rawValue))
        func plain(_ text: Substring) -> String {
            String(text).replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }.replacing("`", with: "")
        }
        #expect(rows.map { plain($0.2) } == ErrorRow.all.map(\.summary))
        #expect(rows.map { plain($0.3) } == ErrorRow.all.map(\.fixedBy))
    }

    @Test("explain takes a kind of error, and suggests one")
    func explain() async throws {
        let page = try await home.run("explain", "sessionEnded")
        #expect(page.status == 0 && page.standardOutput.contains("the user signs in again"), "\(page)")
        #expect(try await home.run("explain", "SESSIONENDED", "--json").json()["kind"] as? String == "sessionEnded")
        let typo = try await home.run("explain", "sesionEnded")
        #expect(typo.status == 2 && typo.standardError.contains("did you mean sessionEnded?"), "\(typo)")
        #expect(try await home.run("explain", "unknown-key").standardOutput.hasPrefix("# K001"))
    }

    @Test("An error refers to its explanation, and says its step once")
    func reference() {
        let failure = Failure(OAuthError(.refresh, .sessionEnded, "the provider ended the session"))
        let lines = failure.lines { text, _ in text }
        #expect(lines.contains("  explained by  carnet explain sessionEnded"), "\(lines)")
        #expect(lines.count { $0.contains("refresh") } == 1)
        #expect(failure.json["error"]?["step"]?.string == "refresh")
    }

    @Test("A host name that was not found is no reason to try later")
    func unknownHost() {
        let message = "no response from the server: no connection to https://x.example: the host name was not found"
        let hint = TransportError.unknownHost("https://x.example").hint
        let failure = Failure(OAuthError(.discovery, .transport, message, hint: hint))
        #expect(failure.next == ["check the spelling of the host name, then the connection to the network"])
        let refused = Failure(OAuthError(.discovery, .transport, "connection refused"))
        #expect(refused.next == ["try again later"])
    }
}
