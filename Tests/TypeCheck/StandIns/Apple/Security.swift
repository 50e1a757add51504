// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import AppleFoundation
