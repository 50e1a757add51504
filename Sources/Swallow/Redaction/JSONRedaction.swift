/// Writes JSON without the values of members with secret names, and without the secrets in its strings.
struct JSONRedaction {
    private let names: LogRedaction
    /// Whether a secret keeps its type, so that code that reads a recording still can. Otherwise it becomes a string.
    private let keepsTypes: Bool
    private let depth: Int
    private var isSecret: [String: Bool] = [:]
    private var text: [UInt8] = []
    private var hasSecret = false

    /// Returns the JSON as text without its secrets; nil if it has none.
    ///
    /// - Parameter depth: How many layers of encoding, such as a string of other JSON, contain the JSON.
    static func text(of json: JSON, _ names: LogRedaction, keepsTypes: Bool = false, depth: Int = 0)
        -> String?
    {
        var redaction = JSONRedaction(names: names, keepsTypes: keepsTypes, depth: depth)
        redaction.append(json, isHidden: false)
        return redaction.hasSecret ? String(decoding: redaction.text, as: UTF8.self) : nil
    }

    private init(names: LogRedaction, keepsTypes: Bool, depth: Int) {
        (self.names, self.keepsTypes, self.depth) = (names, keepsTypes, depth)
    }

    private mutating func append(_ json: JSON, isHidden: Bool) {
        switch json.kind {
        case .null, .bool, .missing: text += json.data
        case _ where isHidden && !keepsTypes: append(secret: "\"\(LogRedaction.placeholder)\"")
        case .number: if isHidden { append(secret: "0") } else { text += json.data }
        case .string:
            let string = json.string ?? ""
            let redacted =
                isHidden
                ? LogRedaction.placeholder : names.redacted(string, hidesBareUsers: false, depth: depth)
            if redacted == string { text += json.data } else { append(secret: "\(JSON.string(redacted))") }
        case .array:
            append(json.elements, between: "[]") { $0.append($1, isHidden: isHidden) }
        case .object:
            let isGrant = json["grant_type"].exists
            append(json.members, between: "{}") { redaction, member in
                redaction.text += JSON.string(member.key).data
                redaction.text.append(UInt8(ascii: ":"))
                let isHidden = isHidden || redaction.isSecret(member.key, besideGrantType: isGrant)
                redaction.append(member.value, isHidden: isHidden)
            }
        }
    }

    private mutating func append(secret: String) {
        text += secret.utf8
        hasSecret = true
    }

    private mutating func append<Parts: Sequence>(
        _ parts: Parts, between brackets: StaticString, _ append: (inout Self, Parts.Element) -> Void
    ) {
        text.append(brackets.utf8Start[0])
        for (index, part) in parts.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(&self, part)
        }
        text.append(brackets.utf8Start[1])
    }

    /// The words of each name are found once, because long arrays repeat their names.
    private mutating func isSecret(_ name: String, besideGrantType isGrant: Bool) -> Bool {
        if isGrant, name == "code" { return names.forItems(["grant_type"]).isSecret(name) }
        if let known = isSecret[name] { return known }
        let isNew = names.isSecret(name, isMember: true)
        isSecret[name] = isNew
        return isNew
    }
}
