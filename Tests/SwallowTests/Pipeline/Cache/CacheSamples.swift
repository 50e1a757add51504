import Foundation
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

func sampleRequest(
    _ url: String = "http://service.test/a", method: String = "GET", _ headers: [String: String] = [:]
) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return request
}

/// Returns a stored response with a text as its body.
func cached(
    _ text: String = "body", status: Int = 200, headers: [String: String] = [:],
    content: (any Sendable)? = nil, timestamp: Date = Date(timeIntervalSinceReferenceDate: 1),
    for request: URLRequest? = nil
) throws -> CachedResponse {
    let request = try request ?? sampleRequest()
    let url = try #require(request.url)
    let response = try #require(
        HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers))
    return CachedResponse(
        response: response, data: Data(text.utf8), content: content, timestamp: timestamp, for: request)
}

extension CachedResponse {
    var text: String { String(decoding: data, as: UTF8.self) }
}

/// A folder that is deleted when this object is released.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("Swallow-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    var sizes: [Int] {
        names.compactMap { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file(name).path)
            return (attributes?[.size] as? NSNumber)?.intValue
        }
    }

    /// The only file in the folder. Fails the test if there are several files or none.
    func onlyFile() throws -> URL {
        try #require(names.count == 1)
        return file(names[0])
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    func permissions(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue & 0o777
    }
}
