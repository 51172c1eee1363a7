/// The error codes of the registry "OAuth Extensions Error" (RFC 6749, section 11.4) that reach a client.
package enum RegisteredErrors {
    /// Those that an authorization server returns.
    package static let ofServer: Set = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "unsupported_response_type",
        "invalid_scope", "access_denied", "server_error", "temporarily_unavailable", "authorization_pending",
        "slow_down", "expired_token", "invalid_target", "invalid_dpop_proof", "use_dpop_nonce",
        "unsupported_token_type", "interaction_required", "login_required", "account_selection_required",
        "consent_required", "unmet_authentication_requirements",
    ]

    /// Also those of a resource server (RFC 6750, section 3.1; RFC 9470, section 3).
    package static let all = ofServer.union([
        "invalid_token", "insufficient_scope", "insufficient_user_authentication",
    ])
}
