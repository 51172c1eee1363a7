import CarnetApple

@MainActor
func modelWithoutCookies(_ client: OAuthClient) -> SignInModel {
    SignInModel(client, agent: WebAuthenticationSessionUserAgent(isEphemeral: true))
}
