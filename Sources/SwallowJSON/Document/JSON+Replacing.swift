extension JSON {
    package typealias Replacement = (_ path: [String], _ value: JSON, _ parent: JSON) -> JSON?

    package func replacing(_ replacement: Replacement) -> JSON {
        var path: [String] = []
        return JSON.build { $0.write(self, in: .missing, at: &path, replacement) }
    }
}

extension JSONWriter {
    fileprivate mutating func write(
        _ json: JSON, in parent: JSON, at path: inout [String], _ replacement: JSON.Replacement
    ) {
        if let other = replacement(path, json, parent) { return write(other) }
        switch json.kind {
        case .array:
            writeArray(of: json.elements.enumerated()) { writer, element in
                path.append("\(element.offset)")
                writer.write(element.element, in: json, at: &path, replacement)
                path.removeLast()
            }
        case .object:
            writeObject(of: json.members) { writer, member in
                path.append(member.key)
                writer.write(member.key)
                writer.writeColon()
                writer.write(member.value, in: json, at: &path, replacement)
                path.removeLast()
            }
        default: write(json)
        }
    }
}
