import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// A picture of a profile, fetched here so that the browser asks nobody else for it.
struct DemoPicture {
    private static let types = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"]
    private static let limits = TransportLimits(maximumBodyBytes: 1 << 18, deadline: .seconds(3))

    /// A `data:` URL.
    let source: String

    /// - Returns: `nil` if there is no picture to be had quickly from a public host.
    init?(_ text: String?, over transport: any Transport) async {
        guard let text, let url = try? WebURL(text), url.scheme == "https", !url.isLoopback,
            url.host.contains(where: \.isLetter), !url.host.hasPrefix("[")
        else { return nil }
        var head = HTTPRequest(method: .get, scheme: url.scheme, authority: url.authority, path: url.target)
        head.headerFields[.accept] = Self.types.joined(separator: ", ")
        guard let response = try? await transport.send(OutgoingRequest(head: head), limits: Self.limits),
            response.status == 200,
            let type = response.head.headerFields[.contentType]?.prefix(while: { $0 != ";" }).lowercased(),
            Self.types.contains(type)
        else { return nil }
        source = "data:\(type);base64,\(Data(response.body).base64EncodedString())"
    }
}
