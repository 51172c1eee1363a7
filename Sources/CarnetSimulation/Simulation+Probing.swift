package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

extension Simulation {
    /// Whether the descriptor itself names an endpoint.
    package func names(_ endpoint: EndpointName) -> Bool {
        provider.endpoints[endpoint] != nil && !inventedEndpoints.contains(endpoint)
    }

    /// The request of a device without a browser (RFC 8628, section 3.1).
    ///
    /// - Throws: `OAuthError`, as for a real client.
    package func deviceRequest() throws(OAuthError) -> SimulatedRequest {
        SimulatedRequest(try DeviceAuthorization.request(in: context).request)
    }

    /// What a client would read in a response of the token endpoint to the code of the test client.
    ///
    /// - Throws: `OAuthError`, as for a real client.
    package func validate(tokenResponse response: IncomingResponse) throws(OAuthError) {
        _ = try TokenResponse(validating: response, to: try tokenRequest(), from: provider)
    }
}
