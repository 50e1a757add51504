// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import AppleFoundation

open class UIImage: NSObject, @unchecked Sendable {
    public init?(data: Data) { absent() }
}
