import CarnetDescriptors
package import HTTPTypes

extension HTTPRequest {
    private static let overrides = MethodOverride.headers.compactMap { HTTPField.Name($0) }

    /// The first header of the request that programs take for its method.
    package var methodOverride: String? { Self.overrides.first { headerFields.contains($0) }?.rawName }
}
