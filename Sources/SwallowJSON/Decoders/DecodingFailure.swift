/// The error, with its path and reason, that a ``Decoding`` throws if the JSON doesn't match.
public struct DecodingFailure: Error, Sendable {
    /// The reasons for a failure.
    public enum Reason: Sendable {
        /// The JSON has another type, or its number is out of range. If the value doesn't exist, `found` is "nothing".
        case mismatch(expected: String, found: String)
        /// No decoding of ``Decoding/oneOf(_:)`` matches. The paths of the failures are relative to ``path``.
        case noneFits([DecodingFailure])
        /// A closure, an initializer or the decoding of a `Decodable` type threw an error.
        case thrown(any Error)
        /// The data or text can't be parsed as JSON.
        case unparsable(JSONError)
    }

    /// The reason why the JSON doesn't match.
    public let reason: Reason
    /// The steps of the path in reverse order, because each level appends its step to the error of the level below.
    private var steps: [Step] = []

    @usableFromInline enum Step: Sendable {
        case member(String)
        case element(Int)
    }

    @usableFromInline init(_ reason: Reason) {
        self.reason = reason
    }

    @usableFromInline package init(expected: String, found: String) {
        self.init(.mismatch(expected: expected, found: found))
    }

    @usableFromInline init(expected: String, found json: JSON) {
        self.init(expected: expected, found: json.kindName)
    }

    @usableFromInline init(thrown error: any Error) {
        self = error as? DecodingFailure ?? DecodingFailure(.thrown(error))
    }

    @usableFromInline func under(_ step: Step) -> DecodingFailure {
        var failure = self
        failure.steps.append(step)
        return failure
    }

    @usableFromInline func under(_ path: some Sequence<String>) -> DecodingFailure {
        var failure = self
        failure.steps += path.reversed().map(Step.member)
        return failure
    }
}

extension DecodingFailure {
    /// The place of the failure as JSONPath (RFC 9535), for example `$[3].sports[0]`. `$` is the JSON that was decoded.
    public var path: String {
        "$" + relativePath
    }

    private var relativePath: String {
        steps.reversed().map(\.text).joined()
    }
}

extension DecodingFailure {
    package var isUnparsable: Bool { if case .unparsable = reason { true } else { false } }
}

extension DecodingFailure: CustomStringConvertible {
    /// A description such as `$[3].sports[0]: expected string, found number`.
    public var description: String {
        "\(path): \(reason)"
    }

    fileprivate var descriptionFromHere: String {
        steps.isEmpty ? "\(reason)" : "\(relativePath): \(reason)"
    }
}

extension DecodingFailure.Reason: CustomStringConvertible {
    /// A description such as `expected string, found number`.
    public var description: String {
        switch self {
        case .mismatch(let expected, let found): "expected \(expected), found \(found)"
        case .noneFits(let failures):
            "none of \(failures.count) alternatives fits (\(failures.map(\.descriptionFromHere).joined(separator: "; ")))"
        case .thrown(let error): "\(error)"
        case .unparsable(let error): "invalid JSON: \(error)"
        }
    }
}

extension DecodingFailure.Step {
    /// The shorthand of JSONPath if RFC 9535 §2.5.1.1 allows it, and otherwise the quoted name (§2.3.1.1).
    fileprivate var text: String {
        switch self {
        case .element(let position): "[\(position)]"
        case .member(let name) where Self.isShorthand(name): ".\(name)"
        case .member(let name):
            "['\(name.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined())']"
        }
    }

    private static func isShorthand(_ name: String) -> Bool {
        let isNameFirst = { (scalar: Unicode.Scalar) in
            scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || !scalar.isASCII
        }
        guard let first = name.unicodeScalars.first, isNameFirst(first) else { return false }
        return name.unicodeScalars.allSatisfy { isNameFirst($0) || ("0"..."9").contains($0) }
    }
}

extension JSON {
    fileprivate var kindName: String {
        switch kind {
        case .missing: "nothing"
        case .bool: "boolean"
        case let kind: "\(kind)"
        }
    }
}
