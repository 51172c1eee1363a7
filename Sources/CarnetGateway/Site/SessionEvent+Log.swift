import CarnetFoundation
import CarnetWeb
import HTTPTypes
import Logging

extension SessionEvent {
    /// Writes who, where and from where into the operator's log.
    ///
    /// - Parameter client: The address of the client, as the proxy states it.
    func log(to logger: Logger, _ host: String, _ client: String?, showsEmail: Bool) {
        func about(_ account: WebAccount) -> Logger.Metadata {
            [
                "provider": "\(account.provider)", "subject": "\(account.subject.quotable())", "host": "\(host)",
                "client": "\(client ?? "")", "email": "\(showsEmail ? account.email?.quotable() ?? "" : "")",
            ]
        }
        switch self {
        case .signedIn(let account): logger.notice("Somebody signed in", metadata: about(account))
        case .signedOut(let account): logger.notice("Somebody signed out", metadata: about(account))
        case .endedByProvider(_, sessions: 0): break
        case .endedByProvider(let provider, let sessions):
            logger.notice(
                "A provider ended sessions",
                metadata: ["provider": "\(provider)", "sessions": "\(sessions)", "client": "\(client ?? "")"])
        }
    }
}

extension HTTPRequest {
    /// The address of the client as the proxy states it: what it added last to `X-Forwarded-For`. For the log alone, because
    /// some proxies pass on what a client wrote.
    var client: String? {
        guard let name = HTTPField.Name("X-Forwarded-For"), let field = headerFields[values: name].last,
            let last = field.utf8.split(separator: UInt8(ascii: ",")).last
        else { return nil }
        let address = String(String(Substring(last)).trimming(\.isWhitespace))
        return IPAddress(numericHost: address).map { _ in address }
    }
}
