// Written from Apple's public documentation, to type-check on Linux. Nothing here is run.

public import Foundation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Self.Body { get }
}

extension Never: View {
    public typealias Body = Never
    public var body: Never { preconditionFailure() }
}

extension View where Body == Never {
    public var body: Never { preconditionFailure() }
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView()
    }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> { _ConditionalContent() }
    public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> { _ConditionalContent() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
}

public struct TupleView<T>: View { public typealias Body = Never }
public struct _ConditionalContent<A: View, B: View>: View { public typealias Body = Never }
public struct EmptyView: View {
    public typealias Body = Never
    public nonisolated init() {}
}

public struct LocalizedStringKey: ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
}

public struct Text: View {
    public typealias Body = Never
    public nonisolated init(verbatim content: String) {}
    public nonisolated init(_ key: LocalizedStringKey) {}
    @_disfavoredOverload public nonisolated init<S: StringProtocol>(_ content: S) {}
}

public struct Button<Label: View>: View {
    public typealias Body = Never
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}

extension Button where Label == Text {
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

public struct HStack<Content: View>: View {
    public typealias Body = Never
    public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
}
public struct VStack<Content: View>: View {
    public typealias Body = Never
    public init(spacing: Double? = nil, @ViewBuilder content: () -> Content) {}
}
public struct ScrollView<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}
public struct NavigationStack<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder root: () -> Content) {}
}
public struct TabView<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}
public struct List<Content: View>: View {
    public typealias Body = Never
    public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where Content == ForEach<Data, ID, Row> {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    public typealias Body = Never
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}
public struct NavigationLink<Destination: View>: View {
    public typealias Body = Never
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination) {}
}
public struct ProgressView<Label: View>: View {
    public typealias Body = Never
}
extension ProgressView where Label == EmptyView {
    public init() {}
}
extension ProgressView where Label == Text {
    public init(_ titleKey: LocalizedStringKey) {}
}
public struct AsyncImage: View {
    public typealias Body = Never
    public init(url: URL?) {}
}

public protocol ShapeStyle: Sendable {}
public protocol Shape: View, Sendable {}
public struct RoundedRectangle: Shape {
    public typealias Body = Never
    public nonisolated init(cornerRadius: Double) {}
}
public struct Color: ShapeStyle, View {
    public typealias Body = Never
    public nonisolated init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}
    public nonisolated static var accentColor: Color { Color(red: 0, green: 0, blue: 0) }
    public nonisolated static var white: Color { accentColor }
    public nonisolated static var black: Color { accentColor }
    public nonisolated static var red: Color { accentColor }
}
extension ShapeStyle where Self == Color {
    public static var red: Color { Color.accentColor }
}

public struct Font: Sendable {
    public static var headline: Font { Font() }
}

public protocol PrimitiveButtonStyle {}
public struct PlainButtonStyle: PrimitiveButtonStyle, Sendable {}
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

public struct Edge: Sendable {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static var all: Set { Set(rawValue: 15) }
    }
}

extension View {
    public nonisolated func font(_ font: Font?) -> some View { EmptyView() }
    public nonisolated func frame(width: Double? = nil, height: Double? = nil) -> some View { EmptyView() }
    public nonisolated func frame(
        minWidth: Double? = nil, maxWidth: Double? = nil, minHeight: Double? = nil, maxHeight: Double? = nil
    ) -> some View { EmptyView() }
    public nonisolated func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { EmptyView() }
    public nonisolated func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { EmptyView() }
    public nonisolated func background<S: ShapeStyle, T: Shape>(_ style: S, in shape: T) -> some View { EmptyView() }
    public nonisolated func accessibilityLabel(_ label: Text) -> some View { EmptyView() }
    public nonisolated func accessibilityHint(_ hint: Text) -> some View { EmptyView() }
    public nonisolated func padding(_ edges: Edge.Set = .all, _ length: Double? = nil) -> some View { EmptyView() }
    public nonisolated func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View { EmptyView() }
    public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { EmptyView() }
    public nonisolated func task(
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { EmptyView() }
    public nonisolated func task<T: Equatable>(
        id value: T, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { EmptyView() }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue value: Value) { wrappedValue = value }
    public var wrappedValue: Value {
        get { preconditionFailure() }
        nonmutating set {}
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() {}
}

@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Self.Body { get }
}
extension Never: Scene {}
extension Scene where Body == Never {
    public var body: Never { preconditionFailure() }
}
@resultBuilder
public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
public struct WindowGroup<Content: View>: Scene {
    public typealias Body = Never
    public init(@ViewBuilder content: @escaping () -> Content) {}
}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Self.Body { get }
    init()
}
extension App {
    public static func main() {}
}

@MainActor @preconcurrency
public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder static var previews: Previews { get }
}
