import Carnet
import CarnetFoundation
import CarnetProtocol
import Foundation
import Testing

/// What servers were reported to do to other clients: `Docs/foreign-cases.md` says how to add one.
@Suite("Foreign cases", .searchedForSecrets)
struct ForeignCaseTests {
    @Test("Each file can be read, and each name is used once")
    func files() throws {
        let cases = try ForeignCase.all.map { try $0.get() }
        #expect(cases.count > 60)
        #expect(Set(cases.map(\.name)).count == cases.count)
    }

    @Test("The outcome is the right one", arguments: ForeignCase.all.compactMap { try? $0.get() })
    func outcome(_ item: ForeignCase) async throws {
        let scenario = Scenario()
        var failure: OAuthError?
        do {
            _ = try await item.flow.run(scenario, item.apply)
            #expect(item.kind == nil, "it was accepted")
        } catch let error as OAuthError {
            failure = error
        }
        if let failure {
            LeakSearch.current?.output.hear(failure)
            #expect(failure.kind == item.kind && failure.step == item.step ?? failure.step, "\(failure)")
        }
        let message = failure.map { "\($0)" } ?? ""
        for text in item.says { #expect(message.contains(text), "\(message)") }
        for text in item.hides { #expect(!message.contains(text), "\(message)") }
        let shown = scenario.output.text.joined(separator: "\n")
        for text in item.shows { #expect(shown.contains(text), "\(shown.suffix(800))") }
        for (path, count) in item.requests {
            #expect(scenario.hostileLog.filter { $0.path == path }.count == count, "\(path)")
        }
        guard item.refreshesAfterwards else { return }
        scenario.change { $0 = Script() }
        let client = try item.flow.client(of: scenario)
        let sent = scenario.requests(to: "/token").compactMap { $0.form["refresh_token"] }
        for key in try await scenario.store.keys() {
            _ = try await client.session(for: key.account)?.refresh()
        }
        let last = scenario.requests(to: "/token").compactMap { $0.form["refresh_token"] }.last
        #expect(last.map { !sent.contains($0) } == true, "the used refresh token was sent again")
    }
}
