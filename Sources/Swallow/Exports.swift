// Importing Swallow also imports JSON and decodings.
@_exported public import SwallowJSON

// On Linux, URLRequest and HTTPURLResponse belong to another module than Foundation.
#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
