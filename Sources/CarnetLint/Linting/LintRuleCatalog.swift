import CarnetDescriptors

/// Every rule about what a descriptor means. Codes are never used again for something else.
package enum LintRuleCatalog {
    package static let all: [any LintRule] = [
        // D: the document.
        BidirectionalControl(), EscapedControlCharacter(),
        // K: keys and inputs.
        UndeclaredInput(), UnusedInput(), InputRefusesOwnValue(), InputMovesURL(), SecretInputShown(),
        OptionalInputInURL(), AlikeInputs(),
        KeyWithoutEffect(), UselessOverride(),
        UnknownValue(), ValueRefusesExample(), UnusedTable(), UntrustedHost(), SecretValueInURL(),
        // E: endpoints and other URLs.
        InsecureURL(), URLNotAbsolute(), URLWithUserInformation(), URLWithFragment(), ProtocolParameterInURL(),
        QueryInIssuer(), MalformedURL(), NoEndpoint(), DiscoveryWithoutIssuer(), BadAPIHost(),
        IssuerMatchOff(), MetadataURLAsIssuer(), PrivateAddress(),
        // S: scopes and resources.
        BadScopeCharacter(), EncodedScopeSeparator(), RepeatedScope(), ScopeNotInCatalog(), SelfImplication(),
        ResponseTypeAsScope(), OpenIDWithoutIssuer(), UnreachableResource(), RepeatedResource(),
        // C: the client, its requests and its redirect URIs.
        PKCEOff(), NonceOff(), ReservedParameter(), ConstantPerAttemptValue(), ProtectionOmitted(), CredentialOmitted(),
        ConflictingRename(),
        UnknownProtocolParameter(), TokenInCallback(), PasswordGrant(), BadHeader(), BodyWithoutPOST(), SecretInQuery(),
        SecretInDescriptor(), SecretOfNobody(), TokenInQuery(), DeleteElsewhere(), StateInRedirectURI(),
        BadAuthenticationList(), RepeatedAuthenticationMethod(), InsecureRedirect(), RedirectSchemeNotReversedDomain(),
        LocalhostRedirect(),
        BadRedirect(), SilentPrompt(), AssertionAlgorithmMismatch(), AssertionLifetimeTooLong(),
        ReservedAssertionClaim(), UnknownAssertionWord(), RequestObjectWithoutAudience(), SecretSignsGrantAssertion(),
        UnusedMTLSEndpoints(),
        // T: responses, tokens and profiles.
        ClaimsWithoutSubject(), ProfileWithoutSource(), UnredactedSample(), MarginBeyondLifetime(), BadTokenScheme(),
        RootOfForm(),
        ChangingSubject(), ContradictedSubject(), UnprovedSubject(), SubjectFromFurtherRequest(), SecretSignsIDToken(),
        SignedResponseWithoutKeys(),
        LogoutTokenWithoutEnd(), FirstCallbackNotKept(), ClaimSourceBeyondItsRights(), ClaimOfAnotherName(),
        // M: metadata and evidence.
        IDNotFileName(), NoteAboutNothing(), DateNotDay(), BadLink(), EvidenceOfCatalogues(),
    ]

    private static let codes = Set(all.filter(\.isSuppressible).map(\.explanation.code)).union(
        SimulationDiagnostics.codes)

    /// Whether a comment may silence the rule. What makes a file unusable cannot be argued away.
    static func isSuppressible(_ code: String) -> Bool { codes.contains(code) }
}
