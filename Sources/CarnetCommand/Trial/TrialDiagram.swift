import ArgumentParser
import CarnetDemo
import CarnetProtocol

extension SequenceDiagram {
    enum Format: String, ExpressibleByArgument, CaseIterable { case text, svg }

    init(of steps: [TrialStep]) {
        let isBack = steps.contains { step in step.exchanges.contains { $0.step == .callback } }
        self.init(steps: steps.flatMap { step in step.exchanges.map { Step(of: $0, in: step, isBack: isBack) } })
    }
}

extension SequenceDiagram.Step {
    /// Of a value's 43 characters: there is no room for all.
    private static let shownCharacters = 10

    fileprivate init(of exchange: TrialStep.Exchange, in step: TrialStep, isBack: Bool) {
        // A step of several requests has a title for all of them.
        let title = step.exchanges.count == 1 ? step.title : SequenceDiagram.title(of: exchange.step)
        // What PKCE adds (RFC 7636): the challenge goes through the browser, and the verifier to the server alone.
        let proof = ["code_challenge", "code_verifier"].lazy.compactMap { name in
            exchange.request.value(of: name).map { "\(name)=\($0.prefix(Self.shownCharacters))…" }
        }.first
        self.init(
            title: title + (proof.map { ", \($0)" } ?? ""),
            from: [.authorization, .callback, .signOut].contains(exchange.step) ? .browser : .app,
            to: exchange.step == .callback ? .app : SequenceDiagram.Party(askedAt: exchange.step),
            // The sandbox sends the browser back at once; a provider shows its pages before.
            response: exchange.step == .authorization && isBack
                ? "redirects the browser back"
                : exchange.response.map { "\($0.status)\($0.contentType.map { " " + $0 } ?? "")" })
    }
}
