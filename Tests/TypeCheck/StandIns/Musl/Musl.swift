// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import Glibc

// Glibc's constant is an enumeration's.
public var SOCK_STREAM: Int32 { fatalError("a stand-in is never run") }
