#if canImport(SwiftUI)
    import Carnet
    public import SwiftUI

    /// A button for each provider: to sign in, or to sign out. It restores the accounts that signed in before, and shows why
    /// a sign-in failed.
    public struct ProviderList: View {
        private let models: [SignInModel]
        private var problem: String?

        public init(_ models: [SignInModel]) { self.models = models }

        /// - Parameter model: If it could not be made, the view shows the reason.
        public init(_ model: Result<SignInModel, any Error>) {
            switch model {
            case .success(let model): models = [model]
            case .failure(let error): (models, problem) = ([], "\(error)")
            }
        }

        public var body: some View {
            VStack(spacing: 12) {
                if let problem { Text(verbatim: problem).foregroundStyle(.red) }
                ForEach(models, id: \.client.descriptor.id) { model in
                    if model.phase == .signedIn {
                        Button(SignInText.signOut.text()) { Task { await model.signOut() } }
                    } else {
                        SignInButton(model)
                    }
                    SignInStatus(model)
                }
            }
            .task { for model in models { await model.restore() } }
        }
    }

    /// The state of a sign-in that needs the user's attention, with a button to sign in again or to try again; or that the
    /// last sign-in failed, with what to change if the app's configuration is wrong.
    public struct SignInStatus: View {
        private let model: SignInModel

        public init(_ model: SignInModel) { self.model = model }

        public var body: some View {
            switch model.phase {
            case .needsAttention(_, signInAgain: true):
                notice(.needsSignIn, button: .signInAgain) { await model.signIn() }
            case .needsAttention(_, signInAgain: false): notice(.tryLater, button: .tryAgain) { await model.tryAgain() }
            case .signedOut where model.failure != nil:
                VStack {
                    Text(verbatim: SignInText.signInFailed.text())
                    if let mistake = model.mistake { Text(verbatim: mistake) }
                }
                .foregroundStyle(.red)
            default: EmptyView()
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
