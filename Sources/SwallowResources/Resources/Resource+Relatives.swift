import Foundation
import Swallow

extension Resource {
    /// Returns the resource at a path below this one. For example, `/users/7?a=1` has the child `/users/7/posts`.
    public func child<C: Sendable>(_ path: Request.Path, as type: C.Type) -> Resource<C> {
        guard let address else { return other(nil, as: type) }
        let location = address.locationAndQuery.location
        let hasSlash =
            location.utf8.last == UInt8(ascii: "/") || path.description.utf8.first == UInt8(ascii: "/")
        return other("\(raw: String(location))\(raw: hasSlash ? "" : "/")\(path)", as: type)
    }

    /// Returns the resource at a URL reference, relative to this resource's URL (RFC 3986 §5). The reference may be a
    /// path, a query or a complete URL, for example from a response.
    public func relative<C: Sendable>(_ path: Request.Path, as type: C.Type) -> Resource<C> {
        guard path.isValid else { return other(path, as: type) }
        let relative = url.flatMap { URL(string: path.description, relativeTo: $0) }
        return other(relative.map { Request.Path($0.absoluteURL) }, as: type)
    }

    /// Returns the resource at a URL reference, or `nil` if the reference is `nil`. See ``relative(_:as:)``.
    public func optionalRelative<C: Sendable>(_ path: Request.Path?, as type: C.Type) -> Resource<C>? {
        path.map { relative($0, as: type) }
    }

    /// Returns the resource whose URL has these query items in addition. They replace items with the same names, and
    /// `nil` removes such items. The resulting query is sorted by name.
    public func withParameters(_ parameters: Parameters) -> Resource {
        guard let url, let service else { return other(nil, as: Content.self) }
        let (location, query) = url.absoluteString.locationAndQuery
        let path = Request.Path(String(location))
        guard let address = service.address(path, parameters) else {
            return Resource(service.resource(path, parameters: parameters, as: Content.self))
        }
        let remaining = ResourceQueryItem.items(of: query).filter { $0.value(in: parameters) == nil }
        let written = ResourceQueryItem.items(of: address.locationAndQuery.query).filter { item in
            item.value(in: parameters) != Parameters.null
        }
        let text = (remaining + written).sorted { $0.name < $1.name }.map(\.text).joined(separator: "&")
        return other("\(raw: location + (text.isEmpty ? "" : "?\(text)"))", as: Content.self)
    }

    private func other<C: Sendable>(_ path: Request.Path?, as type: C.Type) -> Resource<C> {
        guard let path else {
            let detail = "a resource without a URL can't lead to other resources"
            return Resource<C>(ServiceFuture(error: ServiceError(.invalidURL, detail: detail)))
        }
        if let store { return store.resource(path, as: type) }
        guard let service else { return other(nil, as: type) }
        return Resource<C>(service.resource(path, as: type))
    }
}

private struct ResourceQueryItem {
    let text: Substring
    let name: String

    static func items(of query: Substring?) -> [ResourceQueryItem] {
        (query ?? "").split(separator: "&").map { text in
            let name = String(text.prefix { $0 != "=" })
            return ResourceQueryItem(text: text, name: name.removingPercentEncoding ?? name)
        }
    }

    /// Returns the parameter that replaces the item. The parameter `a` also replaces the item `a[b]`.
    func value(in parameters: Parameters) -> ParameterValue? {
        let ends = name.indices.filter { name[$0] == "[" } + [name.endIndex]
        return ends.lazy.compactMap { parameters[String(name[..<$0])]?.parameterValue }.first
    }
}

extension Parameters {
    fileprivate static let null = {
        var parameters = Parameters()
        parameters.append(nil, for: "")
        return parameters[""]?.parameterValue
    }()
}
