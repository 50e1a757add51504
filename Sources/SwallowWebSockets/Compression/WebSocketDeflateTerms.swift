import Swallow

/// The agreed parameters of permessage-deflate (RFC 7692 §7.1).
struct WebSocketDeflateTerms: Sendable, Equatable {
    /// Whether the server's messages don't refer to earlier ones.
    var serverForgets = false
    /// Whether the client's messages don't refer to earlier ones.
    var clientForgets = false

    /// The client's offer. The server can't limit the client's window, because zlib doesn't support the smallest size.
    static let offer = "permessage-deflate"
}

extension WebSocketDeflateTerms {
    /// Parses the server's choice. Returns `nil` if it doesn't match the offer.
    init?(response: String) {
        self.init()
        let parts = response.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmingSpaces)
        guard parts.first?.lowercased() == "permessage-deflate" else { return nil }
        var names: Set<String> = []
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map(\.trimmingSpaces)
            guard let name = pair.first?.lowercased(), names.insert(name).inserted else { return nil }
            let value = pair.count == 2 ? pair[1].filter { $0 != "\"" } : nil
            switch (name, value) {
            case ("server_no_context_takeover", nil): serverForgets = true
            case ("client_no_context_takeover", nil): clientForgets = true
            case ("server_max_window_bits", let value?):
                // The binary logarithm of the window's size in bytes. zlib reads all sizes.
                guard let bits = Int(value), (8...15).contains(bits) else { return nil }
            // For example `client_max_window_bits`, because the client hasn't offered to limit its own window.
            default: return nil
            }
        }
    }
}
