// Importing Swallow imports JSON and decodings, too.
@_exported public import SwallowJSON

// On Linux, URLRequest and HTTPURLResponse belong to another module than Foundation.
#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
