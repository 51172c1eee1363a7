#if canImport(SwiftUI)
    import Carnet
    import CarnetDescriptors
    public import SwiftUI

    /// A button that signs in with a provider: its name, on the colour of its brand. It has no logo: a logo is a
    /// trademark, and each provider has rules for its use.
    public struct SignInButton: View {
        private let provider: ProviderDescriptor
        private let isBusy: Bool
        private let action: @MainActor () -> Void

        /// A button that signs in. During a sign-in, it cancels the sign-in.
        public init(_ model: SignInModel) {
            let isBusy = model.phase == .signingIn
            self.isBusy = isBusy
            provider = model.client.descriptor
            action = { if isBusy { model.cancel() } else { Task { await model.signIn() } } }
        }

        public var body: some View {
            Button(action: action) {
                HStack {
                    if isBusy { ProgressView() }
                    Text(verbatim: isBusy ? SignInText.signingIn.text() : title)
                        .font(.headline)
                }
                .frame(maxWidth: .infinity, minHeight: 44)
            }
            .buttonStyle(.plain)
            .foregroundStyle(style.text)
            .background(style.background, in: RoundedRectangle(cornerRadius: 10))
            .accessibilityLabel(Text(verbatim: title))
            .accessibilityHint(Text(verbatim: isBusy ? SignInText.cancelSignIn.text() : ""))
        }

        private var title: String { SignInText.signIn(with: provider.name) }

        private var style: (background: Color, text: Color) {
            guard let color = provider.display.color else { return (.accentColor, .white) }
            return (Color(color), color.takesDarkText ? .black : .white)
        }
    }

    extension Color {
        fileprivate init(_ color: BrandColor) {
            self.init(
                red: Double(color.red) / 255, green: Double(color.green) / 255, blue: Double(color.blue) / 255)
        }
    }
#endif
