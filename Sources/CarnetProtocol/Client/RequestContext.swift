package import CarnetDescriptors
package import CarnetFoundation

/// Who asks whom, and when: what every request with the client's authentication is made with.
package struct RequestContext<Stage: DiscoveredStage>: Sendable {
    package let provider: Stage
    package let registration: ClientRegistration
    package let random: any RandomSource
    /// In the provider's time.
    package let now: Date

    package init(at provider: Stage, as registration: ClientRegistration, random: any RandomSource, now: Date) {
        self.provider = provider
        self.registration = registration
        self.random = random
        self.now = now
    }
}
