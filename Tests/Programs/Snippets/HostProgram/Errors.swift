import Carnet

enum Advice {
    case signInAgain
    case tryLater
    case report(String)
}

func advice(after call: () async throws -> Void) async throws -> Advice? {
    do {
        try await call()
        return nil
    } catch let error as OAuthError {
        return switch error.disposition {
        case .signInAgain: .signInAgain
        case .tryLater: .tryLater
        case .fixConfiguration, .refused: .report("\(error)")
        }
    } catch let error as TokenStoreError {
        return error.kind == .unavailable ? .tryLater : .report("\(error)")
    }
}

func report(of session: Session) async throws -> IncomingResponse {
    let request = HTTPRequest(url: "https://api.acme.example/report")
    return try await session.send(request, retryingWithin: .seconds(30))
}
