/// Modules of the suite that Carnet does not support by decision, and those that apply to no client like it.
struct NotSupported: Sendable {
    let modules: [String]
    let why: String
    let needed: String

    static let all = [
        NotSupported(
            modules: ["oidcc-client-test-nonce-unless-code-flow"]
                + ["invalid-athash", "missing-athash", "invalid-chash", "missing-chash"].map {
                    "oidcc-client-test-\($0)"
                }
                + ["all modules of the hybrid and implicit plans"],
            why: "the response type is always `code` (RFC 9700, section 2.1.2)", needed: "nothing: it is excluded"),
        NotSupported(
            modules: ["oidcc-client-test-session-management"],
            why: "browsers block the cookies that its frame reads", needed: "a page that polls `check_session_iframe`"),
        NotSupported(
            modules: ["oidcc-client-test-distributed-claims"],
            why: "the provider would choose the hosts that Carnet sends requests to",
            needed: "requests to claim sources that the descriptor names"),
        NotSupported(
            modules: ["oidcc-client-test-request-uri-signed-rs256", "oidcc-client-test-request-uri-signed-none"],
            why: "a pushed request has the same effect and needs no server of the client",
            needed: "a site that serves request objects; the Dynamic RP plan sets `request_uri` for all its modules"),
        NotSupported(
            modules: ["oidcc-client-test-discovery-webfinger-acct", "oidcc-client-test-discovery-webfinger-url"],
            why: "a descriptor names its issuer", needed: "a WebFinger request (RFC 7033)"),
        NotSupported(
            modules: ["oidcc-client-test-userinfo-bearer-body"],
            why: "the access token is in the header only; the suite accepts either", needed: "nothing"),
        NotSupported(
            modules: [
                "fapi2-security-profile-final-client-test-invalid-openbanking-intent-id",
                "fapi2-security-profile-final-client-refresh-token-test",
            ],
            why: "they belong to the profiles of single countries", needed: "nothing"),
    ]
}
