import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Builds a request as a data source receives it. The base URL is `http://h` by default.
func built(
    _ method: Request.Method = .GET, base: String = "http://h", _ path: Request.Path = "",
    parameters: Parameters = [:], options: [Request.Option] = []
) throws(ServiceError) -> URLRequest {
    try Request(method, baseURLString: base, path: path, parameters: parameters, options: options)
        .urlRequest()
}

func built(
    path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
) throws(ServiceError) -> URLRequest {
    try built(.GET, path, parameters: parameters, options: options)
}

func query(_ parameters: Parameters, _ encoding: ParameterEncoding = .percent) throws(ServiceError) -> String
{
    try built(parameters: parameters, options: [.parameterEncoding(encoding)]).url?.query(
        percentEncoded: true) ?? ""
}

func body(_ parameters: Parameters, _ encoding: ParameterEncoding = .percent) throws(ServiceError) -> String {
    try built(.POST, parameters: parameters, options: [.parameterEncoding(encoding)]).bodyText
}

func failure(_ build: () throws(ServiceError) -> some Any) -> ServiceError? {
    do { _ = try build() } catch { return error }
    return nil
}

extension URLRequest {
    var bodyText: String { String(decoding: httpBody ?? Data(), as: UTF8.self) }
}

/// A text with characters that are often encoded incorrectly.
let awkwardText = "a+b&c=d/e?f#g%h é 日本"
