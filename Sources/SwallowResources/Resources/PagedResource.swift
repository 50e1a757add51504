import Foundation
import Observation
import Swallow

/// A list that grows page by page, for a screen that loads more while the user scrolls. Isolated to the main actor.
///
/// ```swift
/// let comments = resources.pages("/comments", of: Comment.self, size: 50, pagination: .link)
/// ```
///
/// - **Growing.** ``loadNextPage()`` loads one more page, until ``hasMore`` is false. If an item's `id` is already in
///   the list, the new item replaces the earlier one in its place.
/// - **Refreshing.** The first page is a ``Resource``, so a write to the path or a trigger of the store can load it
///   again. If later pages have arrived, items with a new `id` are then put in front, and other items of the first page
///   are replaced in their places. ``reload()`` replaces all items.
/// - **Observation.** SwiftUI observes the properties. Refresh triggers need an observer (``addObserver(owner:_:)``).
@MainActor
public final class PagedResource<Item: Identifiable & Sendable>: Observable {
    /// The first page. Set the list's expiration time and refresh triggers here.
    public let firstPage: Resource<Page<Item>>

    private let read: @MainActor (Page<Item>) -> ServiceFuture<Page<Item>>
    private let signals = ResourceSignals()
    private var list: [Item] = []
    private var places: [Item.ID: Int] = [:]
    private var latestPage: Page<Item>?
    private var nextPage: Resource<Page<Item>>?
    private var visited: Set<PagePosition> = []
    private var hasLaterPages = false
    private var startsOver = false
    private var hasReloadFailed = false

    init(
        _ firstPage: Resource<Page<Item>>,
        read: @escaping @MainActor (Page<Item>) -> ServiceFuture<Page<Item>>
    ) {
        self.firstPage = firstPage
        self.read = read
        if let page = firstPage.latestContent { startOver(with: page) }
        firstPage.follow(self) { list, event in list.firstPageHasChanged(event) }
    }

    /// The items of all pages loaded so far, each `id` once.
    public var items: [Item] { signals.reading(\.content, list) }

    /// Whether another page, which may be empty, can be loaded. True before the first page has arrived.
    public var hasMore: Bool { signals.reading(\.content, latestPage?.hasMore ?? true) }

    /// Whether a page after the first one is being loaded.
    public var isLoadingNextPage: Bool { next?.isLoading ?? false }

    /// Whether the first page is being loaded.
    public var isReloading: Bool { firstPage.isLoading }

    /// The error of the later page that couldn't be loaded, otherwise the error of the first page's latest load.
    public var latestError: ServiceError? { next?.latestError ?? firstPage.latestError }

    /// Loads the next page, or the first page if it hasn't arrived or if ``reload()`` is loading it.
    ///
    /// If the page is already being loaded, joins that load. After the last page, returns a completed load.
    @discardableResult
    public func loadNextPage() -> ResourceLoad<Page<Item>> {
        if let next, next.isLoading { return next.loadIfNeeded() }
        guard let latestPage, !startsOver else {
            return firstPage.latestError == nil ? firstPage.loadIfNeeded() : firstPage.load()
        }
        guard let page = latestPage.following else { return ResourceLoad(ended: .success(latestPage)) }
        let isKnown = visited.contains(page.position)
        let resource = Resource(
            isKnown ? ServiceFuture(error: ServiceError.repeatedPage(page.position)) : read(page))
        next = resource
        let load = resource.load()
        firstPage.notifyObservers(of: .requested)
        load.onEnd { [weak self] result in
            guard let self, resource === next else { return }
            if case .success(let page) = result { append(page) }
            firstPage.notifyObservers(of: result.event)
        }
        return load
    }

    /// Loads the first page again and cancels the load of a later page. When the first page arrives, its items replace
    /// all items. If its load fails, the items stay.
    @discardableResult
    public func reload() -> ResourceLoad<Page<Item>> {
        startsOver = true
        cancelNextPage()
        return firstPage.load()
    }

    /// Repeats the load that failed with ``latestError``, which can be of a later page or the first, or a ``reload()``.
    ///
    /// - Returns: The load, or `nil` if there is no error.
    @discardableResult
    public func retry() -> ResourceLoad<Page<Item>>? {
        if next?.latestError != nil { return loadNextPage() }
        guard firstPage.latestError != nil else { return nil }
        return hasReloadFailed ? reload() : firstPage.load()
    }

    private func cancelNextPage() {
        let cancelled = next
        next = nil
        if let loading = cancelled?.loading { cancelled?.cancel(loading) }
    }

    /// Calls a closure on the main actor at each event of the list, as long as its owner exists. This also keeps the
    /// list alive, and makes refresh triggers apply to it.
    ///
    /// The closure receives ``ResourceEvent/observerAdded`` before this call returns. It shouldn't capture the owner.
    @discardableResult
    public func addObserver<Owner: AnyObject>(
        owner: Owner, _ closure: @escaping @MainActor (Owner, PagedResource, ResourceEvent) -> Void
    ) -> Self {
        firstPage.addObserver(owner: owner) { owner, _, event in closure(owner, self, event) }
        return self
    }

    /// Removes the closures that were added with an object as their owner.
    public func removeObservers(ownedBy owner: AnyObject) {
        firstPage.removeObservers(ownedBy: owner)
    }

    private var next: Resource<Page<Item>>? {
        get { signals.reading(\.loading, nextPage) }
        set { signals.changing(\.loading) { nextPage = newValue } }
    }
}

// MARK: - Items

extension PagedResource {
    private func firstPageHasChanged(_ event: ResourceEvent) {
        let page = firstPage.latestContent
        switch event {
        case .newData, .notModified:
            guard let page else { return startOver(with: nil) }
            if startsOver || !(hasLaterPages || isLoadingNextPage) {
                startOver(with: page)
            } else if event != .notModified {
                update(with: page)
            }
        case .error: (hasReloadFailed, startsOver) = (startsOver, false)
        case .requestCancelled: startsOver = false
        case .requested, .observerAdded: break
        }
    }

    private func startOver(with page: Page<Item>?) {
        (startsOver, hasLaterPages, visited) = (false, false, [])
        if nextPage != nil { cancelNextPage() }
        signals.changing(\.content) {
            (list, places, latestPage) = ([], [:], nil)
            if let page { add(page) }
        }
    }

    private func append(_ page: Page<Item>) {
        hasLaterPages = true
        next = nil
        signals.changing(\.content) { add(page) }
    }

    private func add(_ page: Page<Item>) {
        latestPage = page
        visited.insert(page.position)
        if let url = page.url { visited.insert(.url(url)) }
        for item in page.items {
            if let place = places[item.id] {
                list[place] = item
            } else {
                places[item.id] = list.count
                list.append(item)
            }
        }
    }

    /// Replaces items whose `id` is already in the list, and puts the others in front.
    private func update(with page: Page<Item>) {
        signals.changing(\.content) {
            var new: [Item] = []
            var newPlaces: [Item.ID: Int] = [:]
            for item in page.items {
                if let place = places[item.id] {
                    list[place] = item
                } else if let place = newPlaces[item.id] {
                    new[place] = item
                } else {
                    newPlaces[item.id] = new.count
                    new.append(item)
                }
            }
            if new.isEmpty { return }
            list.insert(contentsOf: new, at: 0)
            places = Dictionary(list.enumerated().map { ($1.id, $0) }) { $1 }
        }
    }
}

extension Result where Failure == ServiceError {
    fileprivate var event: ResourceEvent {
        switch self {
        case .success: .newData(.network)
        case .failure(let error): error.isCancelled ? .requestCancelled : .error
        }
    }
}

// MARK: - Lists of a store

extension ResourceStore {
    /// Returns a list that is loaded page by page. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - path: The path, as for the verbs of `WebService`.
    ///   - parameters: The query of the requests, except of those to a URL that the server sent. The default is none.
    ///   - type: The type of the items, which are decoded with `Decodable`.
    ///   - size: The maximum number of items on a page. By default, the pagination or the server decides.
    ///   - pagination: How the server divides the list into pages. The default is ``Pagination/headers``.
    ///   - envelope: The path of members that leads to the items in a response. By default, it is empty.
    public func pages<Item: Identifiable & Decodable & Sendable>(
        _ path: Request.Path, parameters: Parameters = [:], of type: Item.Type, size: Int? = nil,
        pagination: Pagination = .headers, envelope: Envelope = .none
    ) -> PagedResource<Item> {
        let jsonDecoding = plainService.configuration(of: .GET, path).jsonDecoding
        return pages(
            path, parameters: parameters, with: .codable { $0 = jsonDecoding }, size: size,
            pagination: pagination, envelope: envelope)
    }

    /// Returns a list whose items a decoding reads. See ``pages(_:parameters:of:size:pagination:envelope:)``.
    public func pages<Item: Identifiable & Sendable>(
        _ path: Request.Path, parameters: Parameters = [:], with decoding: Decoding<Item>, size: Int? = nil,
        pagination: Pagination = .headers, envelope: Envelope = .none
    ) -> PagedResource<Item> {
        let (current, decoding) = (current, envelope.list(decoding))
        let read: @MainActor (Page<Item>) -> ServiceFuture<Page<Item>> = { page in
            current.service.future(of: page, at: path, pagination, decoding)
        }
        do throws(ServiceError) {
            let page: Page<Item> = try pagination.page(nil, size: size, parameters: parameters)
            return PagedResource(resource { read(page) }, read: read)
        } catch {
            return PagedResource(Resource(ServiceFuture(error: error)), read: read)
        }
    }
}
