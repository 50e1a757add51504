// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The declarations that the example's views use, with the signatures of Apple's documentation.

@_exported import AppleFoundation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { absent() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { absent() }
}

public struct EmptyView: View {
    public init() { absent() }
    public var body: Never { absent() }
}

public struct TupleView<Content>: View {
    public var body: Never { absent() }
}

public struct ConditionalContent<True: View, False: View>: View {
    public var body: Never { absent() }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { absent() }
    public static func buildBlock() -> EmptyView { absent() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { absent() }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > { absent() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { absent() }
    public static func buildEither<True: View, False: View>(first: True) -> ConditionalContent<True, False> {
        absent()
    }
    public static func buildEither<True: View, False: View>(second: False) -> ConditionalContent<True, False>
    { absent() }
}

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    public static func main() { absent() }
}

@MainActor @preconcurrency public protocol Scene {}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) { absent() }
}

@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue: Value) { absent() }
    public var wrappedValue: Value {
        get { absent() }
        nonmutating set { absent() }
    }
    public var projectedValue: Binding<Value> { absent() }
}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { absent() }
    public var wrappedValue: Value {
        get { absent() }
        nonmutating set { absent() }
    }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        absent()
    }
}

public struct Text: View {
    public init(_ content: some StringProtocol) { absent() }
    public var body: Never { absent() }
}

public struct Image: View {
    public var body: Never { absent() }
}

public struct TextField: View {
    public init(_ title: some StringProtocol, text: Binding<String>) { absent() }
    public var body: Never { absent() }
}

public struct SecureField: View {
    public init(_ title: some StringProtocol, text: Binding<String>) { absent() }
    public var body: Never { absent() }
}

public struct Button: View {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) { absent() }
    public var body: Never { absent() }
}

public struct ProgressView: View {
    public init() { absent() }
    public init(value: (some BinaryFloatingPoint)?, total: Double = 1) { absent() }
    public var body: Never { absent() }
}

public struct Form<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) { absent() }
    public var body: Never { absent() }
}

public struct VStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) { absent() }
    public var body: Never { absent() }
}

public struct List<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) { absent() }
    public var body: Never { absent() }
}

public struct NavigationStack<Root: View>: View {
    public init(@ViewBuilder root: () -> Root) { absent() }
    public var body: Never { absent() }
}

public struct NavigationLink<Destination: View>: View {
    public init(_ title: some StringProtocol, @ViewBuilder destination: () -> Destination) { absent() }
    public var body: Never { absent() }
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: View where Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) { absent() }
    public var body: Never { absent() }
}

extension View {
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { EmptyView() }
    public func disabled(_ disabled: Bool) -> some View { EmptyView() }
    public func searchable(text: Binding<String>) -> some View { EmptyView() }
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { EmptyView() }
    public func task(_ action: @escaping @isolated(any) @Sendable () async -> Void) -> some View {
        EmptyView()
    }
}

// MARK: - Images of UIKit and AppKit

extension Image {
    public init(uiImage: NSObject) { absent() }
    public init(nsImage: NSObject) { absent() }
}
