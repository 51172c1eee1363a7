#if canImport(SwiftUI)
    import Carnet
    public import SwiftUI

    /// A sign-in button for each provider, and the reason if the last sign-in with it failed.
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

    /// The state of a sign-in that needs the user's attention, with a button to sign in again or to try again.
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
