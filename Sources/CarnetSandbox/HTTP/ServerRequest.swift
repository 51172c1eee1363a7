import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// A request to the sandbox, whole, with its absolute URL.
struct ServerRequest {
    let head: HTTPRequest
    let url: WebURL
    let body: [UInt8]
    /// The certificate in DER form that the client presented.
    var certificate: [UInt8]?

    var method: HTTPRequest.Method { head.method }

    /// The media type in lower case, without parameters.
    var mediaType: String? {
        head.headerFields[.contentType].map { value in
            let type = value.split(separator: ";", maxSplits: 1).first ?? ""
            return type.lowercased().filter { $0 != " " && $0 != "\t" }
        }
    }

    /// The parameters of the whole query; `nil` if it is not correctly encoded.
    var query: ReceivedParameters? { try? ReceivedParameters(form: url.query ?? "") }

    /// The form of a page; `nil` for any other body.
    var form: ReceivedParameters? {
        mediaType == "application/x-www-form-urlencoded" ? try? ReceivedParameters(form: body) : nil
    }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }

    /// The query without the parameters that belong to the endpoint's own URL.
    func query(beyond endpoint: WebURL) throws(OAuthError) -> ReceivedParameters {
        var parts = url.queryParts
        for own in endpoint.queryParts {
            if let index = parts.firstIndex(of: own) { parts.remove(at: index) }
        }
        return try ReceivedParameters(form: parts.joined(separator: "&"))
    }

    /// The headers that a descriptor adds to a request.
    func checkHeaders(_ headers: [Named<String>]) throws(OAuthError) {
        for item in headers where header(item.name)?.isSameBytes(as: item.value) != true {
            throw .invalidRequest("the header \(item.name): \(item.value) is missing")
        }
    }
}

extension WebURL {
    var queryParts: [Substring] { query?.split(separator: "&") ?? [] }

    /// Whether a request for `other` reaches this endpoint: same origin and path, and its own query kept.
    func receives(_ other: WebURL) -> Bool {
        origin == other.origin && (path.isEmpty ? "/" : path) == (other.path.isEmpty ? "/" : other.path)
            && queryParts.allSatisfy(other.queryParts.contains)
    }
}
