import Foundation
import Swallow
import SwallowResources
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A service whose requests complete immediately with the response of a closure.
struct Backend {
    struct Reply: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body = ""
    }

    let source: ManualDataSource

    init(_ answer: @escaping @Sendable (URLRequest) -> Reply) {
        source = ManualDataSource { exchange in
            let reply = answer(exchange.request)
            exchange.answer(reply.body, status: reply.status, headers: reply.headers)
        }
    }

    /// Creates a backend that sends the same response to every request.
    init(_ body: String = "", status: Int = 200, headers: [String: String] = [:]) {
        self.init { _ in Reply(status: status, headers: headers, body: body) }
    }

    var service: WebService { .test(source) }

    /// The method and the target of each sent request.
    var sent: [String] {
        source.exchanges.values.map { exchange in
            let url = exchange.request.url?.absoluteString ?? ""
            return "\(exchange.request.httpMethod ?? "GET") \(url.replacing("http://service.test", with: ""))"
        }
    }

    /// The body of each sent request.
    var bodies: [String] {
        source.exchanges.values.map { String(decoding: $0.request.httpBody ?? Data(), as: UTF8.self) }
    }
}

struct Member: Codable, Identifiable, Equatable, Sendable {
    var id = 7
    var name = "Ada"

    static let ada = Member()
    static let bob = Member(id: 8, name: "Bob")
    static let json = #"{"id": 7, "name": "Ada"}"#
}

struct Members: Readable, Creatable, Updatable, Deletable {
    typealias Model = Member
    let service: WebService
    var name: Request.Path = "users"
    var envelope = Envelope.none
    var pagination = Pagination.headers
    var encoding = Encoding<Member>.codable { $0.outputFormatting = .sortedKeys }
}

struct Settings: Codable, Equatable, Sendable {
    var isDark = true
}

struct SettingsRepository: SingleModelRepository, Readable, Creatable, Updatable, Deletable {
    typealias Model = Settings
    let service: WebService
    let name: Request.Path = "settings"
}

struct Profile: SingleModelRepository, Readable, Creatable, Updatable, Deletable {
    typealias Model = Member
    let service: WebService
    let name: Request.Path = "profile"
    var encoding: Encoding<Member> { .codable { $0.outputFormatting = .sortedKeys } }
}

extension ServiceFuture {
    var failure: ServiceError? {
        get async {
            if case .failure(let error) = await result { error } else { nil }
        }
    }
}
