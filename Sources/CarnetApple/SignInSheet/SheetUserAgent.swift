package import Carnet
import CarnetFoundation
import CarnetProtocol

/// What the sign-in sheet is shown with.
package struct SheetRequest: Sendable {
    package var url: String
    package var callback: SheetCallback
    package var isEphemeral: Bool
    package var headerFields: [String: String]
}

/// The user agent of the sign-in sheet, without the system's session: what decides anything is here, and tested anywhere.
package struct SheetUserAgent: EphemeralUserAgent {
    package typealias MakeSession =
        @MainActor @Sendable (_ request: SheetRequest, _ onEnd: @escaping @Sendable (SheetEnd) -> Void) throws
        -> any SheetSession

    package var isEphemeral: Bool
    package var headerFields: [String: String]
    private let takesHTTPS: Bool
    private let place: SheetPlace
    private let make: MakeSession

    package init(
        isEphemeral: Bool, headerFields: [String: String] = [:], takesHTTPS: Bool, place: SheetPlace,
        make: @escaping MakeSession
    ) {
        (self.isEphemeral, self.headerFields, self.takesHTTPS) = (isEphemeral, headerFields, takesHTTPS)
        (self.place, self.make) = (place, make)
    }

    package var ephemeral: any UserAgent { changing(self) { $0.isEphemeral = true } }

    package func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
        let callback = try SheetCallback(redirectURI: redirectURI, takesHTTPS: takesHTTPS)
        return await Presenter(redirectURI: redirectURI, callback: callback, agent: self)
    }

    @MainActor
    private final class Presenter: AuthorizationPresenter {
        nonisolated let redirectURI: String
        private let callback: SheetCallback
        private let agent: SheetUserAgent
        private let run: SheetRun

        init(redirectURI: String, callback: SheetCallback, agent: SheetUserAgent) {
            (self.redirectURI, self.callback, self.agent) = (redirectURI, callback, agent)
            run = SheetRun(at: agent.place)
        }

        func present(
            _ url: String, accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
        ) async throws -> AuthorizationCallback {
            let request = SheetRequest(
                url: try AuthorizationURL(url).text, callback: callback, isEphemeral: agent.isEphemeral,
                headerFields: agent.headerFields)
            let received = AuthorizationCallback(url: try await run.run { try agent.make(request, $0) })
            // The session is over with its first callback, so there is no other to wait for.
            guard accepts(received) else {
                throw UserAgentError(
                    .cannotPresent,
                    "the callback that ended the sign-in sheet does not belong to this sign-in; begin it again")
            }
            return received
        }

        func close() async { run.stop() }
    }
}
