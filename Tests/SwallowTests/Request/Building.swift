import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request to `http://h`, unless told otherwise, as a data source would get it.
func built(
    _ method: Request.Method = .GET, base: String = "http://h", _ path: Request.Path = "",
    parameters: Parameters = [:], options: [Request.Option] = []
) throws(ServiceError) -> URLRequest {
    try Request(method, baseURLString: base, path: path, parameters: parameters, options: options)
        .urlRequest()
}

/// A GET request to `http://h`.
func built(
    path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
) throws(ServiceError) -> URLRequest {
    try built(.GET, path, parameters: parameters, options: options)
}

/// The query that carries parameters.
func query(_ parameters: Parameters, _ encoding: ParameterEncoding = .percent) throws(ServiceError) -> String
{
    try built(parameters: parameters, options: [.parameterEncoding(encoding)]).url?.query(
        percentEncoded: true) ?? ""
}

/// The body that carries parameters, as text.
func body(_ parameters: Parameters, _ encoding: ParameterEncoding = .percent) throws(ServiceError) -> String {
    try built(.POST, parameters: parameters, options: [.parameterEncoding(encoding)]).bodyText
}

/// The error in which building a request ends; nil when it doesn't.
func failure(_ build: () throws(ServiceError) -> some Any) -> ServiceError? {
    do { _ = try build() } catch { return error }
    return nil
}

extension URLRequest {
    var bodyText: String { String(decoding: httpBody ?? Data(), as: UTF8.self) }
}

/// Text with everything in it that an encoding may get wrong.
let awkwardText = "a+b&c=d/e?f#g%h é 日本"
