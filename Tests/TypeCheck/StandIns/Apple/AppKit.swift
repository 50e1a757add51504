// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import AppleFoundation

open class NSImage: NSObject {
    public init?(data: Data) { absent() }
}
