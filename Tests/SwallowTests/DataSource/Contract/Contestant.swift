import Foundation
import LoopbackServer
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that sends requests, or an adapter over one.
enum Contestant: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case urlSession
    /// A plain `URLSession`, which follows redirects by its own rules.
    case ownSession
    /// Adapters over Swallow's transport.
    case coalescing, intercepting, whole, degraded, recording
    #if os(Linux) && canImport(Glibc)
        case curl
    #endif

    /// The data sources that send requests themselves and have a redirect policy.
    static let transports = allCases.filter { contestant in
        switch contestant {
        case .ownSession, .coalescing, .intercepting, .whole, .degraded, .recording: false
        default: true
        }
    }

    var testDescription: String { rawValue }

    func source(
        redirects: RedirectPolicy = .follow(), cookies: HTTPCookieStorage? = nil
    ) -> any SessionDataTaskDataSource {
        switch self {
        case .urlSession:
            let configuration = URLSessionConfiguration.default
            configuration.httpCookieStorage = cookies
            return URLSessionDataSource(configuration: configuration, redirectPolicy: redirects)
        case .ownSession:
            let configuration = URLSessionConfiguration.default
            configuration.httpCookieStorage = nil
            return URLSession(configuration: configuration)
        case .coalescing: return Self.standard(redirects).coalescing()
        case .intercepting: return Self.standard(redirects).intercepting { try await $1($0) }
        case .whole: return WholeDataSource(base: Self.standard(redirects))
        case .degraded: return Self.standard(redirects).degraded()
        case .recording: return TemporaryRecording(Self.standard(redirects))
        #if os(Linux) && canImport(Glibc)
            case .curl:
                var configuration = CurlDataSource.Configuration()
                configuration.redirectPolicy = redirects
                configuration.cookies = cookies == nil ? .none : .inMemory
                return CurlDataSource(configuration: configuration)
        #endif
        }
    }

    private static func standard(_ redirects: RedirectPolicy) -> any SessionDataTaskDataSource {
        #if os(Linux) && canImport(Glibc)
            Contestant.curl.source(redirects: redirects)
        #else
            Contestant.urlSession.source(redirects: redirects)
        #endif
    }
}

/// A minimal data source. It never streams.
struct WholeDataSource: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource

    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        base.dataTask(with: request, completion: completion).whole
    }
}

/// Records to a file that is deleted with this object.
private final class TemporaryRecording: SessionDataTaskDataSource {
    private let folder: URL
    private let recording: any SessionDataTaskDataSource

    init(_ base: any SessionDataTaskDataSource) {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        recording = base.recording(to: folder.appending(path: "contract.har"))
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        recording.dataTask(with: request) { [self] data, response, error in
            withExtendedLifetime(self) { completion(data, response, error) }
        }
    }
}

extension LoopbackServer {
    func request(_ path: String, _ method: String = "GET", body: String? = nil) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: path, relativeTo: URL(string: baseURLString))))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        // A stalled request waits until the test cancels it or closes the server, even on a slow machine.
        request.timeoutInterval = 1_000_000
        return request
    }

    func send(_ request: URLRequest, _ source: any SessionDataTaskDataSource) async -> Call.Outcome {
        await Call(request, source).resumed().outcome
    }

    /// Sends each request on the thread that delivers the response before it. On a busy machine, a hop to another
    /// thread may take minutes. The idle connection would then be too old to be used again.
    func sendInTurn(
        _ requests: [URLRequest], _ source: any SessionDataTaskDataSource
    ) async -> [Call.Outcome] {
        let outcomes = Recorder<Call.Outcome>()
        @Sendable func send(_ index: Int) {
            guard index < requests.count else { return }
            let task = source.dataTask(with: requests[index]) { data, response, error in
                outcomes.append(.init(data: data, response: response as? HTTPURLResponse, error: error))
                send(index + 1)
            }
            task.resume()
        }
        send(0)
        return await outcomes.first(requests.count)
    }

    func get(_ path: String, _ source: any SessionDataTaskDataSource) async throws -> Call.Outcome {
        await send(try request(path), source)
    }
}
