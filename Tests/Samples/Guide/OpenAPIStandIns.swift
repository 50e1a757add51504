import Foundation

// The types of OpenAPIRuntime and HTTPTypes that the guide's transport uses. This package depends on neither module.

protocol ClientTransport: Sendable {
    func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?)
}

struct HTTPRequest: Sendable {
    struct Method: Sendable {
        let rawValue: String
    }

    var method: Method
    var path: String?
    var headerFields = HTTPFields()
}

struct HTTPResponse: Sendable {
    struct Status: Sendable {
        let code: Int
    }

    var status: Status
    var headerFields = HTTPFields()

    init(status: Status) { self.status = status }
}

struct HTTPField: Sendable {
    struct Name: Sendable, Equatable {
        let rawName: String

        init?(_ name: String) { rawName = name }
    }

    let name: Name
    let value: String
}

struct HTTPFields: Sequence, Sendable {
    private var fields: [HTTPField] = []

    subscript(name: HTTPField.Name) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            fields.removeAll { $0.name == name }
            if let newValue { fields.append(HTTPField(name: name, value: newValue)) }
        }
    }

    func makeIterator() -> IndexingIterator<[HTTPField]> { fields.makeIterator() }
}

final class HTTPBody: Sendable {
    let data: Data

    init(_ data: Data) { self.data = data }
}

extension Data {
    init(collecting body: HTTPBody, upTo maxBytes: Int) async throws {
        if body.data.count > maxBytes { throw CocoaError(.fileReadTooLarge) }
        self = body.data
    }
}
