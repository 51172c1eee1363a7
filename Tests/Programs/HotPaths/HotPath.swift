import BenchmarkSubjects
import Carnet
import CarnetDescriptors
import CarnetLint
import CarnetSimulation

/// The work whose instructions are counted.
// swift-format-ignore: AlwaysUseLowerCamelCase
enum HotPath: String, CaseIterable {
    case beginSignIn = "begin-sign-in"
    case signIn = "sign-in"
    case idToken = "id-token"
    case accessToken = "access-token"
    case decision
    case knownToken = "known-token"
    case lint
    case simulate
    case resolve

    /// The body that does the work so often.
    func work(_ count: Int) throws -> @Sendable () async throws -> Void {
        switch self {
        case .beginSignIn:
            let signIn = try Self.signIn()
            return { for _ in 0..<count { _ = try await signIn.begin() } }
        case .signIn:
            let signIn = try Self.signIn()
            return { for _ in 0..<count { try await signIn.complete(try await signIn.begin()) } }
        case .idToken:
            let validation = try IDTokenValidation(.ES256)
            return { for _ in 0..<count { try validation.validate() } }
        case .accessToken:
            let signIn = try Self.signIn()
            return {
                let session = try await signIn.complete(try await signIn.begin())
                for _ in 0..<count { _ = try await session.accessToken() }
            }
        case .decision, .knownToken:
            let keepsStates = self == .knownToken
            return {
                let decision = try await RequestDecision(.ES256, keepsStates: keepsStates)
                for _ in 0..<count { try await decision.decide() }
            }
        case .lint:
            let files = (1...2).map {
                SourceFile(path: "acme\($0).yaml", text: DescriptorCorpus.descriptor($0))
            }
            return {
                let linter = Linter()
                for _ in 0..<count { for file in files { _ = linter.lint(files: [file]) } }
            }
        case .simulate:
            let file = SourceFile(path: "acme2.yaml", text: DescriptorCorpus.descriptor(2))
            guard let context = LintContext(DescriptorDocument(file)) else {
                throw BenchmarkFailure(reason: "the corpus has a broken descriptor")
            }
            return {
                let simulator = SampleSimulator()
                for _ in 0..<count { _ = simulator.check([context]) }
            }
        case .resolve:
            let document = DescriptorDocument(SourceFile(path: "acme1.yaml", text: DescriptorCorpus.descriptor(1)))
            guard let descriptor = document.descriptor else {
                throw BenchmarkFailure(reason: "the corpus has a broken descriptor")
            }
            return {
                let inputs = descriptor.exampleInputs()
                for _ in 0..<count { _ = try descriptor.resolve(inputs: inputs) }
            }
        }
    }

    private static func signIn() throws -> LocalSignIn {
        try LocalSignIn(at: SigningProvider(issuer: "https://id.acme.example"))
    }
}
