import Foundation

/// Turns an `Encodable` into parameters, in the order in which it encodes its members; those of a dictionary
/// are sorted. Data becomes Base64 text, as with `JSONEncoder`.
///
/// Foundation's `JSONEncoder` can't serve here: it keeps an object's members in a dictionary and loses their
/// order.
struct ParameterEncoder: Encoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let node: Node

    /// What `value` encodes; an error becomes a value that says why it can't be sent.
    static func value(of value: some Encodable) -> ParameterValue {
        let node = Node()
        do {
            try node.encode(value, codingPath: [])
            return node.value
        } catch {
            return .invalid("\(error)")
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(Keyed<Key>(codingPath: codingPath, node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return Unkeyed(codingPath: codingPath, node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(codingPath: codingPath, node: node)
    }

    /// One value while it is being encoded; containers that share it add to it.
    private final class Node {
        private enum Content {
            case value(ParameterValue)
            case array([Node])
            case object([(name: String, node: Node)])
        }

        private var content = Content.value(.object([:]))

        var value: ParameterValue {
            switch content {
            case .value(let value): return value
            case .array(let nodes): return .array(nodes.map(\.value))
            case .object(let members):
                var parameters = Parameters()
                for member in members { parameters.append(member.node.value, for: member.name) }
                return .object(parameters)
            }
        }

        var count: Int {
            if case .array(let nodes) = content { nodes.count } else { 0 }
        }

        func becomeObject() {
            if case .object = content { return }
            content = .object([])
        }

        func becomeArray() {
            if case .array = content { return }
            content = .array([])
        }

        func set(_ value: ParameterValue) {
            content = .value(value)
        }

        func appendElement() -> Node {
            let node = Node()
            guard case .array(var nodes) = content else { return node }
            nodes.append(node)
            content = .array(nodes)
            return node
        }

        func appendMember(_ name: String) -> Node {
            let node = Node()
            guard case .object(var members) = content else { return node }
            members.append((name, node))
            content = .object(members)
            return node
        }

        func encode(_ value: some Encodable, codingPath: [any CodingKey]) throws {
            switch value {
            case let value as any ParameterConvertible: set(value.parameterValue)
            case let data as Data: set(.string(data.base64EncodedString()))
            default: try value.encode(to: ParameterEncoder(codingPath: codingPath, node: self))
            }
            if value is any Unordered, case .object(let members) = content {
                content = .object(members.sorted { $0.name < $1.name })
            }
        }
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let codingPath: [any CodingKey]
        let node: Node

        func encodeNil(forKey key: Key) { node.appendMember(key.stringValue).set(.null) }

        func encode(_ value: some Encodable, forKey key: Key) throws {
            try node.appendMember(key.stringValue).encode(value, codingPath: codingPath + [key])
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder(for: key).container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder(for: key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder {
            ParameterEncoder(codingPath: codingPath, node: node.appendMember("super"))
        }

        func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }

        private func encoder(for key: Key) -> ParameterEncoder {
            ParameterEncoder(codingPath: codingPath + [key], node: node.appendMember(key.stringValue))
        }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let codingPath: [any CodingKey]
        let node: Node

        var count: Int { node.count }

        func encodeNil() { node.appendElement().set(.null) }

        func encode(_ value: some Encodable) throws {
            try node.appendElement().encode(value, codingPath: codingPath)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder().container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

        func superEncoder() -> any Encoder { encoder() }

        private func encoder() -> ParameterEncoder {
            ParameterEncoder(codingPath: codingPath, node: node.appendElement())
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let codingPath: [any CodingKey]
        let node: Node

        func encodeNil() { node.set(.null) }

        func encode(_ value: some Encodable) throws {
            try node.encode(value, codingPath: codingPath)
        }
    }
}

/// A type that encodes its members in any order.
private protocol Unordered {}

extension Dictionary: Unordered {}
