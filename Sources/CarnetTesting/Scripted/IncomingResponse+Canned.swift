public import CarnetProtocol
import HTTPTypes

extension IncomingResponse {
    /// A response with a JSON body.
    public static func json(_ text: String, status: Int = 200) -> Self {
        canned(text, status: status, type: "application/json")
    }

    /// A response with a body of the given media type.
    package static func canned(_ text: String, status: Int = 200, type: String) -> Self {
        Self(
            head: HTTPResponse(status: .init(code: status), headerFields: [.contentType: type]),
            body: Array(text.utf8)
        )
    }
}
