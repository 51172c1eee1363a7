import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension Sandbox {
    /// What a browser asks for: the fragment stays with it, and a page that routes by its fragment passes on what it
    /// finds there.
    private func pageURL(_ authorizationURL: String) throws -> WebURL {
        let parts = authorizationURL.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let page = try WebURL(String(parts[0]))
        let rules = servers.first { $0.endpoints.endpoints(at: page).contains(.authorization) }?.provider.authorization
        let fragment = parts.count == 2 ? String(parts[1]) : nil
        guard let route = rules?.fragmentRoute?.text else {
            guard fragment == rules?.fragment?.text else {
                throw SandboxRefusal(
                    status: 404, text: "the page wants the fragment \(rules?.fragment?.text ?? "(none)")")
            }
            return page
        }
        guard let fragment, fragment.hasPrefix(route + "?") else {
            throw SandboxRefusal(status: 404, text: "the page's only route is #\(route)")
        }
        return try WebURL(page.appendingQuery(String(fragment.dropFirst(route.count + 1))))
    }

    /// Acts as the browser and the user: opens an authorization URL, grants everything, and returns the callback URL.
    ///
    /// - Throws: An error with the text of the page if there is no callback; `WebURLError`.
    public func approve(authorizationURL: String) async throws -> String {
        try await callback(approving: authorizationURL).url
    }

    /// The same for a provider whose callback may be a POST: its URL, and the posted form.
    ///
    /// - Throws: As `approve(authorizationURL:)`.
    public func callback(approving authorizationURL: String) async throws -> (url: String, form: String?) {
        let (response, page) = await allow(at: try pageURL(authorizationURL))
        if response.status == .ok, let form = HTMLPage.form(in: page) { return (form.url, form.body) }
        guard response.status.kind == .redirection, let location = response.headerFields[.location] else {
            throw SandboxRefusal(status: response.status.code, text: HTMLPage.text(of: page))
        }
        return (location, nil)
    }

    /// Acts as the user at the other device: opens the page for a code, and grants everything.
    ///
    /// - Throws: An error with the text of the page if there is no such code.
    public func approveDevice(userCode: String) async throws {
        let server = servers.first { $0.ledger.device(userCode: userCode) != nil }
        guard let page = server?.endpoints.verification else {
            throw SandboxRefusal(status: 404, text: "no device has the code \(userCode)")
        }
        let query = PercentEncoding.encode([(name: "user_code", value: userCode)])
        let (response, text) = await allow(at: try WebURL(page.appendingQuery(query)))
        guard response.status == .ok else {
            throw SandboxRefusal(status: response.status.code, text: HTMLPage.text(of: text))
        }
    }

    /// Acts as the browser at the page that ends the session.
    ///
    /// - Returns: Where the browser is sent back to; `nil` if the page stays.
    /// - Throws: An error with the text of the page if it refuses; `WebURLError`.
    package func signOut(at endSessionURL: String) async throws -> String? {
        let (response, page) = await allow(at: try WebURL(endSessionURL))
        if response.status.kind == .redirection { return response.headerFields[.location] }
        guard response.status == .ok else {
            throw SandboxRefusal(status: response.status.code, text: HTMLPage.text(of: page))
        }
        return nil
    }

    /// Opens a page, and allows all that it asks about.
    private func allow(at url: WebURL) async -> (response: HTTPResponse, page: String) {
        var request = HTTPRequest(method: .get, scheme: url.scheme, authority: url.authority, path: url.target)
        var (response, body) = await respond(to: request, body: [])
        if response.status == .ok, let ticket = HTMLPage.value(of: "ticket", in: String(decoding: body, as: UTF8.self))
        {
            var decision = [(name: "ticket", value: ticket), ("user", "0"), ("decision", "allow")]
            decision += servers.lazy.compactMap { $0.scopes(onPageWith: ticket) }.first?.map { ("scope", $0) } ?? []
            request.method = .post
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            (response, body) = await respond(to: request, body: Array(PercentEncoding.encode(decision).utf8))
        }
        return (response, String(decoding: body, as: UTF8.self))
    }
}

extension AuthorizationServer {
    fileprivate func scopes(onPageWith ticket: String) -> [String]? {
        consents[ticket]?.request.scopes ?? ledger.deviceTickets[ticket].flatMap { ledger.devices[$0]?.scopes }
    }
}

/// The sandbox showed a page instead of a redirect to the client.
package struct SandboxRefusal: Error, Sendable, Described {
    package let status: Int
    /// The text of the page.
    package let text: String

    package var summary: String { "the sandbox returned \(status): \(text)" }
}
