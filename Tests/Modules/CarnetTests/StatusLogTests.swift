import Carnet
import CarnetFoundation
import CarnetTestSupport
import CarnetTesting
import Foundation
import Logging
import Testing

@Suite("Status log")
struct StatusLogTests {
    private final class Lines: LogHandler, @unchecked Sendable {
        // Sendable because the one mutable member is behind the mutex; the log handler's settings are constants.
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }
        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            lines.withLock {
                $0.append("\(event.level): " + ([event.message.description] + values).joined(separator: " "))
            }
        }
    }

    private func lines(_ yaml: String) throws -> [String] {
        let lines = Lines()
        _ = try OAuthClient(
            try Fixture.descriptor(yaml),
            registration: ClientRegistration(
                clientID: "client", credentials: .publicClient, redirectURI: "com.example.app:/callback"),
            transport: ScriptedProvider(),
            logger: Logger(label: "test") { _ in lines })
        return lines.all
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
