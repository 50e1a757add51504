import Foundation
import Swallow

/// The models of one type at a path of a web service. A repository is ``Readable``, ``Creatable``, ``Updatable``,
/// ``Deletable``, or several of these.
///
/// ```swift
/// struct User: Codable, Identifiable, Sendable {
///     let id: Int
///     var name: String
/// }
///
/// struct Users: Readable, Creatable, Updatable, Deletable {
///     typealias Model = User
///     let service: WebService
///     let name: Request.Path = "users"
/// }
///
/// let user = try await Users(service: service).read(id: 7).value
/// ```
///
/// A repository's functions send nothing themselves. `read`, for example, returns a ``ServiceFuture``, which sends its
/// request when you start it. If the models belong to another model, `name` contains its id, as in
/// `"users/\(id)/posts"`. If that id is empty, `.` or `..`, the requests fail with `.invalidURL`.
public protocol Repository<Model>: Sendable {
    /// The type of the models.
    associatedtype Model: Sendable

    /// The service that sends the repository's requests.
    var service: WebService { get }

    /// The path of the models, relative to the service's base URL. It may have a query.
    var name: Request.Path { get }

    /// The path of members that leads to the models in a response. By default, it is empty.
    var envelope: Envelope { get }
}

/// A repository with only one model, whose path is the repository's name, for example `/profile`. Other repositories
/// update an `Identifiable` model at its id, for example `/profile/7`, and have no `delete()`.
public protocol SingleModelRepository: Repository {}

extension Repository where Model: Decodable {
    /// How a model is read. By default, `Decodable` reads it with the service's configured `jsonDecoding`.
    public var decoding: Decoding<Model> {
        .codable { $0 = service.configuration(of: .GET, name).jsonDecoding }
    }
}

extension Repository where Model: Encodable {
    /// How a model is written. By default, `Encodable` writes it with the service's configured `jsonEncoding`.
    public var encoding: Encoding<Model> { .codable(service.configuration(of: .POST, name).jsonEncoding) }
}

extension Repository {
    /// The path of members that leads to the models in a response. By default, it is empty.
    public var envelope: Envelope { .none }
}

extension Repository {
    func path(_ id: some PathSegmentConvertible) -> Request.Path {
        let name = name
        let (location, query) = name.description.locationAndQuery
        let slash = location.utf8.last == UInt8(ascii: "/") ? "" : "/"
        if location.endIndex == name.description.endIndex { return "\(name)\(raw: slash)\(id)" }
        let end = query.map { "?\($0)" } ?? ""
        return name.isValid ? "\(raw: String(location))\(raw: slash)\(id)\(raw: end)" : name
    }
}

extension Repository {
    /// Sends a value and reads the response. If a success has an empty body, the future succeeds with the sent value.
    func write<Value: Sendable>(
        _ value: Value, _ method: Request.Method, at path: Request.Path, reading decoding: Decoding<Value>,
        encode: @escaping @Sendable () throws -> Data
    ) -> ServiceFuture<Value> {
        service.future(of: JSON.self) { service in
            do {
                let body = Request.Option.body(try encode(), contentType: "application/json")
                return service.request(method, path: path, options: [body])
            } catch {
                let detail = "\(Model.self) can't be encoded"
                throw ServiceError(.invalidRequest, detail: detail, underlying: error)
            }
        } reading: { content in
            do throws(ServiceError) {
                return try content.decoded(with: decoding)
            } catch {
                if error.reason == .emptyBody { return value }
                throw error
            }
        }
    }
}

extension Request.Path {
    var isValid: Bool { Self.anyService.address(self) != nil }

    private static let anyService = WebService(baseURLString: "http://localhost")
}
