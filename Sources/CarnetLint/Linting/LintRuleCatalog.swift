import CarnetDescriptors

/// Every rule about what a descriptor means. Codes are never used again for something else.
package enum LintRuleCatalog {
    package static let all: [any LintRule] = [
        // D: the document.
        BidirectionalControl(), EscapedControlCharacter(), ReadDifferently(),
        // K: keys and inputs.
        UndeclaredInput(), UnusedInput(), InputRefusesOwnValue(), InputMovesURL(), SecretInputShown(),
        OptionalInputInURL(), AlikeInputs(),
        KeyWithoutEffect(), UselessOverride(),
        UnknownValue(), ValueRefusesExample(), UnusedTable(), UntrustedHost(), SecretValueInURL(),
        CallbackValueNotKept(), PlaceInPlainText(), UnlikelyValue(), NeighbouringValue(),
        // E: endpoints and other URLs.
        InsecureURL(), URLNotAbsolute(), URLWithUserInformation(), URLWithFragment(), ProtocolParameterInURL(),
        QueryInIssuer(), MalformedURL(), NoEndpoint(), DiscoveryWithoutIssuer(), BadAPIHost(),
        MetadataURLAsIssuer(), PrivateAddress(), PartOfAnEnvironment(), NearlyTheSameURL(),
        // S: scopes and resources.
        BadScopeCharacter(), EncodedScopeSeparator(), PlusAsScopeSeparator(), RepeatedScope(), ScopeNotInCatalog(),
        SelfImplication(),
        ResponseTypeAsScope(), OpenIDWithoutIssuer(), ProfileWithoutOpenID(), UnreachableResource(), RepeatedResource(),
        UnmatchableResource(), ContradictoryResources(), OpenResourceWithNeeds(), ClaimsOfAnyTenant(),
        // C: the client, its requests and its redirect URIs.
        ReservedParameter(), ConstantPerAttemptValue(), ProtectionOmitted(), CredentialOmitted(),
        ConflictingRename(), StandardNameMeant(), BasicWithoutBase64(), TwoAuthenticationMethods(),
        UnknownProtocolParameter(), TokenInCallback(), PasswordGrant(), BadHeader(), BodyWithoutPOST(), SecretInQuery(),
        SecretInDescriptor(), SecretOfNobody(), DeleteElsewhere(),
        BadAuthenticationList(), RepeatedAuthenticationMethod(), InsecureRedirect(), RedirectSchemeNotReversedDomain(),
        LocalhostRedirect(), ParameterLostAtRefresh(), DigitsInQuotes(),
        BadRedirect(), SilentPrompt(), AssertionAlgorithmMismatch(), AssertionLifetimeTooLong(),
        ReservedAssertionClaim(), UnknownAssertionWord(), RequestObjectWithoutAudience(), SecretSignsGrantAssertion(),
        // T: responses, tokens and profiles.
        ClaimsWithoutSubject(), SubjectSwitchedOff(), ProfileWithoutSource(), UnredactedSample(),
        MarginBeyondLifetime(), BadTokenScheme(),
        RootOfForm(),
        ChangingSubject(), ContradictedSubject(), UnprovedSubject(), SubjectFromFurtherRequest(),
        SignedResponseWithoutKeys(), FirstCallbackNotKept(), ClaimSourceBeyondItsRights(), ClaimOfAnotherName(),
        PartsAsAlternatives(), UnfoundedVerification(), ListOfOneValue(), AnyEmailOfAList(), FieldNotRequested(),
        // M: metadata and evidence.
        IDNotFileName(), NoteAboutNothing(), DateNotDay(), BadLink(), EvidenceOfCatalogues(), EndedFact(),
    ]

    private static let codes = Set(all.filter(\.isSuppressible).map(\.explanation.code)).union(
        SimulationDiagnostics.codes)

    private static let reminders = Set(all.filter(\.isReminder).map(\.explanation.code))

    /// Whether a note about the key silences the finding.
    static func isReminder(_ code: String) -> Bool { reminders.contains(code) }

    /// Whether a comment may silence the rule. What makes a file unusable cannot be argued away.
    static func isSuppressible(_ code: String) -> Bool { codes.contains(code) }
}
