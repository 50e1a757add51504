// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import AppleFoundation

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { absent() }
}

public final class NWPathMonitor {
    public init() { absent() }
    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { absent() }
        set { absent() }
    }
    public func start(queue: DispatchQueue) { absent() }
    public func cancel() { absent() }
}
