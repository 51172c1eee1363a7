import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// One step of a trial as it happened.
struct TrialStep {
    enum Outcome: Error {
        case passed
        case failed(Failure)
        /// There is nothing to do at this provider; the text says why.
        case skipped(String)
    }

    struct Exchange: Sendable {
        var step: OAuthError.Step
        var request: ShownRequest
        /// `nil` if none came, or if it is the user's browser that goes there.
        var response: ShownResponse?
        /// The response with its secrets, once it has come, for `response`.
        var revealed: ShownResponse?
    }

    var title: String
    var exchanges: [Exchange] = []
    var findings: [Named<String>] = []
    var outcome = Outcome.passed
}

extension TrialStep {
    func json(number: Int) -> JSONValue {
        var step: JSONObject = [
            "number": .number(String(number)), "title": .string(title), "outcome": .string(outcome.name),
            "exchanges": .array(exchanges.map(\.json)),
            "findings": .object(JSONObject(findings.map { Named($0.name, .string($0.value)) })),
        ]
        switch outcome {
        case .passed: break
        case .skipped(let reason): step["reason"] = .string(reason)
        case .failed(let failure): step["error"] = failure.json["error"]
        }
        return .object(step)
    }
}

extension TrialStep.Outcome {
    var name: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .skipped: "skipped"
        }
    }

    var isFailure: Bool { if case .failed = self { true } else { false } }
}

extension TrialStep.Exchange {
    fileprivate var json: JSONValue {
        let received: JSONValue? = response.map {
            ["status": .number(String($0.status)), "content_type": .optional($0.contentType), "body": .string($0.body)]
        }
        return [
            "step": .string(step.rawValue),
            "request": [
                "method": .string(request.method), "url": .string(request.url),
                "headers": .object(JSONObject(request.headers.map { Named($0.name, .string($0.value)) })),
                "body": .string(request.body),
            ],
            "response": received ?? .null,
        ]
    }
}
