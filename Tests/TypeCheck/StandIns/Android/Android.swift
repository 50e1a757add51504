// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import AndroidFoundation

// Glibc's constant is an enumeration's. A module of one file is a script, whose variables belong to the main actor.
nonisolated public var SOCK_STREAM: Int32 { fatalError("a stand-in is never run") }
