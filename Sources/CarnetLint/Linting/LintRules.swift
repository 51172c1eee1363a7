import CarnetDescriptors

/// Every rule about what a descriptor means. Codes are never used again for something else.
public enum LintRules {
    public static let all: [any LintRule] = [
        // D: the document.
        BidirectionalControl(),
        // K: keys and inputs.
        UndeclaredInput(), UnusedInput(), InputRefusesOwnValue(), TextInputInURL(), OptionalInputInURL(),
        KeyWithoutEffect(), UselessOverride(),
        // E: endpoints and other URLs.
        InsecureURL(), URLNotAbsolute(), URLWithUserInformation(), URLWithFragment(), ProtocolParameterInURL(),
        QueryInIssuer(), MalformedURL(), NoEndpoint(), DiscoveryWithoutIssuer(), BadAPIHost(),
        IssuerMatchOff(),
        // S: scopes and resources.
        BadScopeCharacter(), EncodedScopeSeparator(), RepeatedScope(), ScopeNotInCatalog(), SelfImplication(),
        ResponseTypeAsScope(), OpenIDWithoutIssuer(), UnreachableResource(), RepeatedResource(),
        // C: the client, its requests and its redirect URIs.
        PKCEOff(), NonceOff(), ReservedParameter(), ConstantPerAttemptValue(), ProtectionOmitted(), ConflictingRename(),
        UnknownProtocolParameter(), TokenInCallback(), BadHeader(), BodyWithoutPOST(), SecretInQuery(),
        SecretInDescriptor(),
        BadAuthenticationList(), InsecureRedirect(), RedirectSchemeNotReversedDomain(), LocalhostRedirect(),
        BadRedirect(), AssertionAlgorithmMismatch(), AssertionLifetimeTooLong(), ReservedAssertionClaim(),
        UnknownAssertionWord(),
        // T: responses, tokens and profiles.
        ClaimsWithoutSubject(), ProfileWithoutSource(), ClaimNotInSample(), TokenNotInSample(), BadLifetimeInSample(),
        UnredactedSample(), ErrorNotInSample(), MarginBeyondLifetime(), BadTokenScheme(),
        // M: metadata and evidence.
        IDNotFileName(), NoteAboutNothing(), DateNotDay(), BadLink(),
    ]

    private static let codes = Set(all.map(\.explanation.code))

    /// Whether a comment may silence the rule. What makes a file unusable cannot be argued away.
    static func isSuppressible(_ code: String) -> Bool { codes.contains(code) }
}
