// Written from Apple's public documentation, to type-check on Linux. Nothing here is run.

public import Foundation

#if canImport(UIKit)
    public import UIKit

    public typealias ASPresentationAnchor = UIWindow
#else
    public import AppKit

    public typealias ASPresentationAnchor = NSWindow
#endif

public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }
    public var code: Code { .canceledLogin }
}

@MainActor
public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    open class Callback: NSObject {
        public class func customScheme(_ customScheme: String) -> Callback { preconditionFailure() }
        public class func https(host: String, path: String) -> Callback { preconditionFailure() }
    }

    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public final var prefersEphemeralWebBrowserSession = false
    public final var additionalHeaderFields: [String: String]?
    public final var canStart: Bool { false }
    @discardableResult open func start() -> Bool { false }
    open func cancel() {}
}
