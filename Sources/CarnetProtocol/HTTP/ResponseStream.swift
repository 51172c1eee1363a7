package import HTTPTypes

/// Takes the body of a successful response while it arrives.
///
/// A transport that does not stream returns the whole body instead, and calls nothing.
package struct ResponseStream: Sendable {
    /// How long the head of the response may take. The body may take any time.
    package let deadline: Duration
    /// Called once, before the body, with a head whose status is 2xx.
    package let begin: @Sendable (HTTPResponse) -> Void
    /// Called with each part of the body, one after the other. Nothing is read from the connection until it returns.
    ///
    /// It returns whether the next part is wanted. If not, the exchange ends with a `TransportError`.
    package let take: @Sendable ([UInt8]) -> Bool

    package init(
        deadline: Duration, begin: @escaping @Sendable (HTTPResponse) -> Void,
        take: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        (self.deadline, self.begin, self.take) = (deadline, begin, take)
    }

    /// Whether the body of a response is streamed. An error is short, and a body in a content coding has to be whole.
    package func takes(_ head: HTTPResponse) -> Bool {
        head.status.kind == .successful && head.headerFields[.contentEncoding] == nil
    }
}
