// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import AndroidFoundation

// In Glibc, this constant is an enum case. It is `nonisolated` because the variables of a single-file module would
// belong to the main actor.
nonisolated public var SOCK_STREAM: Int32 { fatalError("a stand-in is never run") }
