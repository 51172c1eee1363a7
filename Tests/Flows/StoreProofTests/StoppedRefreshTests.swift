import Carnet
import CarnetServerTestSupport
import CarnetStoreTestSupport
import CarnetTesting
import Foundation
import Testing

/// A process that is stopped for longer than its time limit while its refresh is at the provider.
@Suite("Stopped refresh")
struct StoppedRefreshTests {
    @Test(
        "What arrived meanwhile is read before the deadline counts", .timeLimit(.minutes(2)),
        arguments: ["nio", "urlsession"], StoreLocation.Kind.allCases)
    func whatArrivedMeanwhileIsReadBefore(
        transport: String, kind: StoreLocation.Kind
    ) async throws {
        let provider = try await RotatingProvider { .seconds(2) }
        let storage = try TemporaryStorage(kind)
        var connection = Connection.test(account: StormProvider.key.account)
        connection.tokens.refreshToken = Secret(provider.begin("ada"))
        connection.tokens.idToken = nil
        _ = try await storage.location.open().save(connection, replacing: nil)
        let worker = try WorkerProcess([provider.authority] + storage.location.arguments)
        try worker.send("refresh \(transport) 3")
        while provider.uses.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        try await Task.sleep(for: .milliseconds(500))
        worker.suspend()
        try await Task.sleep(for: .seconds(4))
        worker.resume()
        #expect(await worker.lines.first { $0 != "ready" } == "saved ada.2")
        try worker.send("refresh \(transport) 30")
        #expect(await worker.lines.first { _ in true } == "saved ada.3")
        #expect(provider.revoked.isEmpty)
        try await provider.stop()
    }
}
