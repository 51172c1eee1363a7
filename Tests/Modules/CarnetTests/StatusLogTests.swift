import Carnet
import CarnetFoundation
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Status log")
struct StatusLogTests {
    private func lines(_ yaml: String) throws -> [String] {
        let log = RecordedLog()
        _ = try OAuthClient(
            try Fixture.descriptor(yaml),
            registration: ClientRegistration(
                clientID: "client", credentials: .publicClient, redirectURI: "com.example.app:/callback"),
            transport: ScriptedProvider(),
            logger: log.logger)
        return log.entriesWithLevels
    }

    @Test("A host that uses a closed provider gets one line in its log")
    func closed() throws {
        #expect(
            try lines(Fixture.plain + "status: { closed: partners alone }\n") == [
                "warning: A provider is closed or ends provider=plain reason=partners alone "
                    + "status=closed to new applications"
            ])
        #expect(try lines(Fixture.plain) == [])
    }
}
