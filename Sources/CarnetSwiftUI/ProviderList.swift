#if canImport(SwiftUI)
    import Carnet
    public import SwiftUI

    /// A sign-in button for each provider, and what the last sign-in with it failed of.
    public struct ProviderList: View {
        private let models: [SignInModel]

        public init(_ models: [SignInModel]) {
            self.models = models
        }

        public var body: some View {
            VStack(spacing: 12) {
                ForEach(models, id: \.client.descriptor.id) { model in
                    SignInButton(model)
                    SignInStatus(model)
                }
            }
        }
    }

    /// What the user has to know and do: sign in again, try again, or nothing.
    public struct SignInStatus: View {
        private let model: SignInModel

        public init(_ model: SignInModel) {
            self.model = model
        }

        public var body: some View {
            switch model.phase {
            case .needsAttention(_, signInAgain: true):
                notice(.needsSignIn, button: .signInAgain) { await model.signIn() }
            case .needsAttention(_, signInAgain: false):
                notice(.tryLater, button: .tryAgain) { await model.tryAgain() }
            case .signedOut where model.failure != nil:
                Text(verbatim: SignInText.signInFailed.text()).foregroundStyle(.red)
            default:
                EmptyView()
            }
        }

        private func notice(
            _ text: SignInText, button: SignInText, action: @escaping @MainActor @Sendable () async -> Void
        ) -> some View {
            VStack {
                Text(verbatim: text.text())
                Button(button.text()) { Task { await action() } }
            }
        }
    }
#endif
