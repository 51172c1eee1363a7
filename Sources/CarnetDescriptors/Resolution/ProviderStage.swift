package import CarnetFoundation

/// A provider with its inputs filled in. The values of its metadata and of a sign-in are still missing.
public struct Provider: ProviderStage, Sendable {
    @usableFromInline package let shared: SharedSections
}

/// A provider with its metadata merged in, or without metadata if it needs none.
@usableFromInline
package struct DiscoveredProvider: DiscoveredStage {
    @usableFromInline package let shared: SharedSections

    @usableFromInline package var discovered: DiscoveredProvider { self }
}

/// A provider with the values of one sign-in or one account filled in, for requests with their credentials.
@usableFromInline
package struct FilledProvider: DiscoveredStage {
    @usableFromInline package let discovered: DiscoveredProvider
    @usableFromInline package let shared: SharedSections
}

/// Any stage of a provider, read in the sections of its descriptor.
@usableFromInline
@dynamicMemberLookup
package protocol ProviderStage: Sendable {
    var shared: SharedSections { get }
}

/// A stage with metadata.
@usableFromInline
package protocol DiscoveredStage: ProviderStage {
    /// The provider without the values of a sign-in or an account.
    var discovered: DiscoveredProvider { get }
}

extension ProviderStage {
    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember section: KeyPath<ProviderSections, Value>) -> Value {
        shared.sections[keyPath: section]
    }
}

/// Sections that never change, so that a copy of a stage costs one reference.
@usableFromInline
package final class SharedSections: Sendable {
    @usableFromInline package let sections: ProviderSections
    let isLate: Bool
    /// Found at the first use.
    let credentialPlaces = Lock<CredentialPlaces?>(nil)
    /// The redirect URI that was checked last.
    private let acceptedRedirect = Lock<String?>(nil)

    /// The sections are moved, because a copy of them costs as much as a third of resolving.
    init(_ sections: consuming ProviderSections) {
        isLate = sections.isLate
        self.sections = sections
    }

    func changed(_ change: (inout ProviderSections) -> Void) -> SharedSections {
        var sections = sections
        change(&sections)
        return SharedSections(consume sections)
    }

    /// Checks a redirect URI, unless it was the last that passed.
    ///
    /// - Throws: Errors of `check`.
    package func accepting<Failure: Error>(redirect uri: String, _ check: () throws(Failure) -> Void) throws(Failure) {
        guard !acceptedRedirect.withLock({ $0?.isSameBytes(as: uri) == true }) else { return }
        try check()
        acceptedRedirect.withLock { $0 = uri }
    }

    /// How the response of a grant is read.
    package func response(of grant: RequestKind) -> ResponseRules {
        (grant.inheritsToken ? sections.descriptor.response(of: grant) : nil) ?? sections.token.response
    }
}

extension Provider {
    init(_ descriptor: ProviderDescriptor, with resolver: InputResolver) throws(ResolutionError) {
        shared = SharedSections(try .resolved(descriptor, with: resolver))
    }

    /// The provider for one client: its endpoints and scopes have the values of the registration.
    package func registered(_ values: @autoclosure () -> TemplateValues) -> Provider {
        guard shared.sections.endpoints.haveClientValues || shared.sections.lateScopes != nil else { return self }
        let values = values()
        let scopes = scopeRules(of: values)
        return Provider(
            shared: shared.changed { sections in
                sections.endpoints.fill(values, trusting: sections.trustedHosts, ofClient: true)
                sections.scopes = scopes
            })
    }

    /// The provider of a resource, after the resource's metadata named the issuer (RFC 9728, section 3.2).
    ///
    /// - Parameters:
    ///   - resource: The resource as its metadata names it: the one of the descriptor, or its origin.
    ///   - scopes: The scopes to request if the descriptor names none.
    ///   - further: The scopes that a later request may need.
    ///   - isUnstated: Whether nothing says where the endpoints of the issuer are.
    package func found(
        _ resource: WebURL, issuer: String, scopes: [String], further: [String] = [], isUnstated: Bool = false
    ) -> Provider {
        Provider(
            shared: shared.changed { sections in
                sections.resource = resource
                sections.issuer = issuer
                sections.resourceScopes = scopes
                sections.furtherScopes = further
                sections.isUnstated = isUnstated
            })
    }

    /// For a provider that needs no metadata, or whose metadata must not be requested or is unavailable.
    package var withoutMetadata: DiscoveredProvider { DiscoveredProvider(shared: shared) }
}

extension DiscoveredProvider {
    package func changed(_ change: (inout ProviderSections) -> Void) -> DiscoveredProvider {
        DiscoveredProvider(shared: shared.changed(change))
    }

    /// The provider with the values that are known. A template that needs another value is left out, as with an optional
    /// input.
    package func filled(_ values: @autoclosure () -> TemplateValues) -> FilledProvider {
        let bound = FilledProvider(discovered: self, shared: shared)
        return shared.isLate ? bound.changed { $0.fill(values()) } : bound
    }
}

extension FilledProvider {
    func changed(_ change: (inout ProviderSections) -> Void) -> FilledProvider {
        FilledProvider(discovered: discovered, shared: shared.changed(change))
    }
}
