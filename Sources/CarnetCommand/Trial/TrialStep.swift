import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// One step of a trial as it happened.
struct TrialStep {
    enum Outcome {
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
    }

    var title: String
    var exchanges: [Exchange] = []
    /// The results of the step.
    var findings: [Named<String>] = []
    var outcome = Outcome.passed
}

extension TrialStep {
    func json(number: Int) -> JSONValue {
        var step = JSONObject([
            "number": .number(String(number)),
            "title": .string(title),
            "outcome": .string(outcome.name),
            "exchanges": .array(exchanges.map(\.json)),
        ])
        var found = JSONObject()
        for finding in findings { found[finding.name] = .string(finding.value) }
        step["findings"] = .object(found)
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

    var isFailure: Bool {
        if case .failed = self { true } else { false }
    }
}

extension TrialStep.Exchange {
    fileprivate var json: JSONValue {
        var headers = JSONObject()
        for header in request.headers { headers[header.name] = .string(header.value) }
        let sent = JSONObject([
            "method": .string(request.method), "url": .string(request.url), "headers": .object(headers),
            "body": .string(request.body),
        ])
        let received = response.map { response in
            JSONValue.object(
                JSONObject([
                    "status": .number(String(response.status)), "content_type": .optional(response.contentType),
                    "body": .string(response.body),
                ])
            )
        }
        return .object(
            JSONObject(["step": .string(step.rawValue), "request": .object(sent), "response": received ?? .null])
        )
    }
}
