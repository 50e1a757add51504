/// A `Link` header field (RFC 8288 §3).
struct LinkHeader: Sendable {
    /// The links' targets, not yet resolved, by relation type in lower case; of several the first. A link whose
    /// `anchor` gives it another context is not among them.
    let targets: [String: String]

    /// - Returns: nil where the field isn't a list of links.
    init?(_ field: String) {
        var scanner = Scanner(rest: Array(field.utf8)[...])
        var targets: [String: String] = [:]
        repeat {
            scanner.skipSpaces()
            // RFC 9110 §5.6.1.2: empty elements don't matter.
            guard scanner.next != nil, scanner.next != UInt8(ascii: ",") else { continue }
            guard let link = scanner.link() else { return nil }
            for relation in link.relations where targets[relation] == nil { targets[relation] = link.target }
        } while scanner.skip(",")
        guard scanner.next == nil else { return nil }
        self.targets = targets
    }

    private struct Link {
        let target: String
        var relations: [String] = []
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        var next: UInt8? { rest.first }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func skipSpaces() {
            rest = rest.drop(while: HTTPSyntax.isSpace)
        }

        /// Reads a target with its parameters, and the spaces after it.
        mutating func link() -> Link? {
            guard skip("<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            var link = Link(target: String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
            var relation: String?
            var isAnchored = false
            skipSpaces()
            while skip(";") {
                skipSpaces()
                // A semicolon that nothing follows (Appendix B.3) is left out.
                if next == nil || next == UInt8(ascii: ",") || next == UInt8(ascii: ";") { continue }
                guard let (name, value) = parameter() else { return nil }
                switch name {
                // §3.3: of several the first counts.
                case "rel": relation = relation ?? value
                case "anchor": isAnchored = true
                default: break
                }
                skipSpaces()
            }
            if !isAnchored, let relation {
                link.relations = relation.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
            }
            return link
        }

        private mutating func parameter() -> (name: String, value: String)? {
            let name = token { HTTPSyntax.isSpace($0) || "=;,\"<>".utf8.contains($0) }
            if name.isEmpty { return nil }
            skipSpaces()
            guard skip("=") else { return (name.lowercased(), "") }
            skipSpaces()
            guard skip("\"") else {
                return (name.lowercased(), token { HTTPSyntax.isSpace($0) || ";,\"".utf8.contains($0) })
            }
            return quoted().map { (name.lowercased(), $0) }
        }

        private mutating func token(endsAt isEnd: (UInt8) -> Bool) -> String {
            let token = rest.prefix { !isEnd($0) }
            rest = rest[token.endIndex...]
            return String(decoding: token, as: UTF8.self)
        }

        /// Reads the rest of a quoted string (RFC 9110 §5.6.4).
        private mutating func quoted() -> String? {
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escaped = rest.popFirst() else { return nil }
                    bytes.append(escaped)
                default: bytes.append(byte)
                }
            }
            return nil
        }
    }
}
