struct LinkHeader: Sendable {
    /// The targets of the links as sent, by relation type in lowercase. If several links have the same type, the first
    /// one counts. Links with an `anchor` are omitted, because they may start from another resource.
    private(set) var targets: [String: String] = [:]
    private(set) var malformed: [Substring] = []

    init(_ field: String) {
        var scanner = FieldScanner(field)
        repeat {
            scanner.skipSpaces()
            // A list may have empty elements (RFC 9110 §5.6.1.2).
            guard scanner.next != nil, scanner.next != UInt8(ascii: ",") else { continue }
            let rest = scanner.rest
            if let (target, relations) = link(&scanner) {
                for relation in relations where targets[relation] == nil { targets[relation] = target }
            } else {
                scanner.skipElement()
                malformed.append(rest[..<scanner.rest.startIndex])
            }
        } while scanner.skip(",")
    }

    private mutating func link(_ scanner: inout FieldScanner) -> (target: String, relations: [String])? {
        guard scanner.skip("<") else { return nil }
        let target = withoutMalformed(scanner.text(before: ">"))
        guard scanner.skip(">") else { return nil }
        scanner.skipSpaces()
        if let next = scanner.next, !";,".utf8.contains(next) { return nil }
        var relation: String?
        var isAnchored = false
        while scanner.skip(";") {
            let name = scanner.text(before: "=;,").trimmingSpaces.lowercased()
            let value = scanner.skip("=") ? scanner.parameterValue(before: ";,") : ""
            switch name {
            // Only the first `rel` counts (RFC 8288 §3.3).
            case "rel": relation = relation ?? value
            case "anchor": isAnchored = true
            default: break
            }
        }
        guard !isAnchored, let relation else { return (String(target), []) }
        return (String(target), relation.split(whereSeparator: \.isWhitespace).map { $0.lowercased() })
    }

    private mutating func withoutMalformed(_ target: Substring) -> Substring {
        guard let open = target.utf8.lastIndex(of: UInt8(ascii: "<")) else { return target }
        let front = target[..<open].trimmingSpaces
        guard front.utf8.last == UInt8(ascii: ",") else { return target }
        malformed.append(front)
        return target[target.utf8.index(after: open)...]
    }
}
