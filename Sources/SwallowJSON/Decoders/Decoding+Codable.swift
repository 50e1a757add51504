extension Decoding where Value: Decodable & Sendable {
    /// A decoding of a `Decodable` type. Tasks, futures and transformers of a service use the service's `jsonDecoding`
    /// options. Other callers use the default options.
    public static var codable: Self {
        custom { json in try value(from: json, options: .current) }
    }

    package static func codable(_ options: JSON.DecodingOptions) -> Self {
        custom { json in try value(from: json, options: options) }
    }

    /// Returns a decoding of a `Decodable` type with options that a closure sets.
    public static func codable(_ configure: (inout JSON.DecodingOptions) -> Void) -> Self {
        var options = JSON.DecodingOptions.standard
        configure(&options)
        return codable(options)
    }

    private static func value(from json: JSON, options: JSON.DecodingOptions) throws -> Value {
        do {
            return try json.decode(Value.self, options: options)
        } catch let error as DecodingError {
            throw DecodingFailure(error, in: json)
        }
    }
}

extension DecodingFailure {
    fileprivate init(_ error: DecodingError, in json: JSON) {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            self.init(expected: Self.name(of: type), at: context.codingPath, in: json)
        case .keyNotFound(let key, let context):
            self.init(expected: "value", at: context.codingPath + [key], in: json)
        case .dataCorrupted(let context):
            self = DecodingFailure(.thrown(error)).under(context.codingPath)
        @unknown default:
            self.init(.thrown(error))
        }
    }

    private init(expected: String, at path: [any CodingKey], in json: JSON) {
        let found = path.reduce(json) { json, key in
            switch Step(key) {
            case .member(let name): json[name]
            case .element(let position): json[position]
            }
        }
        self = DecodingFailure(expected: expected, found: found).under(path)
    }

    private func under(_ path: [any CodingKey]) -> DecodingFailure {
        path.reversed().reduce(self) { $0.under(Step($1)) }
    }

    private static func name(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "string"
        case is Bool.Type: "boolean"
        case is any BinaryInteger.Type: "integer"
        case is any BinaryFloatingPoint.Type: "number"
        case is [Any].Type: "array"
        case is [String: Any].Type: "object"
        default: "\(type)"
        }
    }
}

extension DecodingFailure.Step {
    fileprivate init(_ key: any CodingKey) {
        if let index = key.intValue, key.stringValue == "Index \(index)" {
            self = .element(index)
        } else {
            self = .member(key.stringValue)
        }
    }
}
