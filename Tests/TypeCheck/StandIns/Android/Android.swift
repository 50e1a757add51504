// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported import AndroidFoundation
