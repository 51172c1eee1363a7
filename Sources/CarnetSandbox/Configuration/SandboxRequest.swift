package import CarnetDescriptors
public import HTTPTypes

/// A request that the sandbox received, for tests. Nothing is redacted, because all secrets are the sandbox's own.
public struct SandboxRequest: Sendable {
    public let method: HTTPRequest.Method
    /// The absolute URL.
    public let url: String
    package let headers: HTTPFields
    public let body: [UInt8]
    /// The provider; `nil` if there is none at that URL.
    package let provider: ProviderID?
    /// The endpoint that was meant; `nil` for metadata, resources and unknown URLs.
    package let endpoint: EndpointName?
    package let status: HTTPResponse.Status

    package var bodyText: String { String(decoding: body, as: UTF8.self) }
}
