import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the person's browser does: it goes where it is sent.
struct Browser: Sendable {
    struct Page: Sendable {
        let status: Int
        /// Where a redirect leads.
        let location: String?
    }

    /// Opens an address and follows its redirects, to the loopback port too.
    @discardableResult
    func open(_ address: String) async throws -> Page {
        var page = try await get(address)
        for _ in 0..<5 {
            guard let location = page.location else { return page }
            page = try await get(location)
        }
        throw CommandRun.Failure(description: "too many redirects")
    }

    /// Opens a consent page of the sandbox, and allows everything as one of its users.
    func agree(at address: String, as user: String) async throws {
        guard let url = URL(string: address) else { throw CommandRun.Failure(description: "\(address) is not a URL") }
        let page = String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
        guard let ticket = page.firstMatch(of: /name="ticket" value="([^"]+)"/)?.output.1 else {
            throw CommandRun.Failure(description: "no consent page: \(page)")
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("ticket=\(ticket)&user=\(user)&decision=allow".utf8)
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        _ = try await URLSession.shared.data(for: request)
    }

    /// Requests one address, and follows nothing.
    func get(_ address: String) async throws -> Page {
        guard let url = URL(string: address) else {
            throw CommandRun.Failure(description: "\(address) is not a URL")
        }
        let session = URLSession(configuration: .ephemeral, delegate: Stay(), delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let (_, response) = try await session.data(from: url)
        guard let response = response as? HTTPURLResponse else {
            throw CommandRun.Failure(description: "no HTTP response from \(address)")
        }
        return Page(status: response.statusCode, location: response.value(forHTTPHeaderField: "Location"))
    }

    private final class Stay: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
}
