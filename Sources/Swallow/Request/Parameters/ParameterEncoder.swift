import Foundation

/// Encodes a value as parameters, in the order in which the value encodes its members. `JSONEncoder` loses this order.
struct ParameterEncoder: Encoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private let node: Node

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
        node.kind = .object
        return KeyedEncodingContainer(Keyed<Key>(codingPath: codingPath, node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.kind = .array
        return Unkeyed(codingPath: codingPath, node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private final class Node {
        enum Kind { case value, array, object }

        var kind = Kind.object
        private var scalar = ParameterValue.null
        // This array isn't a payload of `kind`, because each change of a payload would copy the array.
        private(set) var children: [(name: String, node: Node)] = []
        private var hasCodingKeys = true

        var value: ParameterValue {
            switch kind {
            case .value: scalar
            case .array: .list(children.map(\.node.value))
            case .object:
                .object(
                    Parameters(
                        members: children.map { name, node in
                            .init(name: name, value: node.value, isCodingKey: hasCodingKeys)
                        }))
            }
        }

        func set(_ value: ParameterValue) {
            kind = .value
            scalar = value
        }

        func append(_ name: String = "") -> Node {
            let node = Node()
            children.append((name, node))
            return node
        }

        func encode(_ value: some Encodable, codingPath: [any CodingKey]) throws {
            switch value {
            case let value as any ParameterConvertible: set(value.parameterValue)
            case let data as Data: set(.string(data.base64EncodedString()))
            default: try value.encode(to: ParameterEncoder(codingPath: codingPath, node: self))
            }
            if value is any Unordered, kind == .object {
                children.sort { $0.name < $1.name }
                hasCodingKeys = false
            }
        }
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let codingPath: [any CodingKey]
        let node: Node

        func encodeNil(forKey key: Key) { node.append(key.stringValue).set(.null) }

        func encode(_ value: some Encodable, forKey key: Key) throws {
            try node.append(key.stringValue).encode(value, codingPath: codingPath + [key])
        }

        // Without these functions, the compiler would call the protocol's own functions, which omit `nil`.
        func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeValue(value, forKey: key) }
        func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
            try encodeValue(value, forKey: key)
        }

        /// Stores `nil` as `.absent`, because percent encoding may send the name with an empty value.
        private func encodeValue(_ value: (some Encodable)?, forKey key: Key) throws {
            guard let value else { return node.append(key.stringValue).set(.absent) }
            try encode(value, forKey: key)
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
            ParameterEncoder(codingPath: codingPath, node: node.append("super"))
        }

        func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }

        private func encoder(for key: Key) -> ParameterEncoder {
            ParameterEncoder(codingPath: codingPath + [key], node: node.append(key.stringValue))
        }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let codingPath: [any CodingKey]
        let node: Node

        var count: Int { node.children.count }

        func encodeNil() { node.append().set(.null) }

        func encode(_ value: some Encodable) throws {
            try node.append().encode(value, codingPath: codingPath)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder().container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

        func superEncoder() -> any Encoder { encoder() }

        private func encoder() -> ParameterEncoder {
            ParameterEncoder(codingPath: codingPath, node: node.append())
        }
    }
}

extension ParameterEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.set(.null) }

    func encode(_ value: some Encodable) throws {
        try node.encode(value, codingPath: codingPath)
    }
}

private protocol Unordered {}

extension Dictionary: Unordered {}
