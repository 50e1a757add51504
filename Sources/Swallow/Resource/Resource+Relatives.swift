import Foundation

extension Resource {
    /// Returns the resource at a path below this resource's path, without this resource's query. For example,
    /// `/users/7` has the child `posts` at `/users/7/posts`.
    public func child<C: Sendable>(_ path: Request.Path, as type: C.Type) -> Resource<C> {
        guard let address else { return other(nil, as: type) }
        let location = address.locationAndQuery.location
        let hasSlash = location.utf8.last == UInt8(ascii: "/") || path.text.utf8.first == UInt8(ascii: "/")
        return other("\(raw: String(location))\(raw: hasSlash ? "" : "/")\(path)", as: type)
    }

    /// Returns the resource at a URL reference, for example from a response, relative to this resource's URL (RFC 3986
    /// §5). The reference is a path, an absolute path, a query or a complete URL.
    public func relative<C: Sendable>(_ path: Request.Path, as type: C.Type) -> Resource<C> {
        guard let url, path.problem == nil else { return other(path.problem == nil ? nil : path, as: type) }
        return other(
            URL(string: path.text, relativeTo: url).map { Request.Path($0.absoluteURL) }, as: type)
    }

    /// Returns ``relative(_:as:)``, or `nil` if there is no reference.
    public func optionalRelative<C: Sendable>(_ path: Request.Path?, as type: C.Type) -> Resource<C>? {
        path.map { relative($0, as: type) }
    }

    /// Returns the resource with the same URL and a changed query. Items with the given names are replaced, or removed
    /// if the value is null. All items are sorted by name.
    public func withParameters(_ parameters: Parameters) -> Resource {
        guard let url, let service else { return other(nil, as: Content.self) }
        let (location, query) = url.absoluteString.locationAndQuery
        let configuration = service.configuration(of: .GET, Request.Path(url))
        do {
            var items = QueryItem.items(of: query ?? "")
            for member in parameters.members {
                items.removeAll { $0.isNamed(member.name) }
                if case .null = member.value.form { continue }
                let written = try configuration.parameterEncoding.query(
                    Parameters(members: [member]).written(by: configuration.jsonCoding))
                items += QueryItem.items(of: written)
            }
            let text = items.sorted { $0.name < $1.name }.map(\.text).joined(separator: "&")
            return other("\(raw: location + (text.isEmpty ? "" : "?\(text)"))", as: Content.self)
        } catch {
            return Resource(ServiceFuture(error: ServiceError(.invalidRequest, detail: error.description)))
        }
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

extension QueryItem {
    /// Returns whether the item belongs to a parameter, including an element of an array or a member of an object.
    fileprivate func isNamed(_ parameter: String) -> Bool {
        name == parameter || name.hasPrefix("\(parameter)[")
    }
}
