import Foundation
import Testing

/// Carnet and servers that nobody here wrote, through everything that each has; `Docs/interoperability.md` is what
/// came of it. With `CARNET_UPDATE_DOCS=1` in the environment the page is written anew.
@Suite("Interoperability")
struct InteroperabilityTests {
    @Test("The page says what came of every exchange", .timeLimit(.minutes(20)))
    func thePageSaysWhatCame() async throws {
        let reports = await withTaskGroup(of: (Peer.Server, PeerReport?).self) { group in
            for server in Peer.Server.allCases {
                group.addTask {
                    do {
                        return (server, try await PeerTrial.report(on: server))
                    } catch {
                        Issue.record(error, "\(server)")
                        return (server, nil)
                    }
                }
            }
            return await group.reduce(into: [Peer.Server: PeerReport]()) { $0[$1.0] = $1.1 }
        }
        let page = InteroperabilityPage(
            reports: try Peer.Server.allCases.map { ($0, try #require(reports[$0])) }
        ).text
        let file = BuiltProduct.package.appending(path: "Docs/interoperability.md")
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try Data(page.utf8).write(to: file)
        }
        let written = try? String(decoding: Data(contentsOf: file), as: UTF8.self)
        #expect(written == page, "Docs/interoperability.md is not current; run the tests with CARNET_UPDATE_DOCS=1")
    }
}
