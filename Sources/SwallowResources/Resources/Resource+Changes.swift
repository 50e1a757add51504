import Foundation
import Swallow

extension Resource {
    /// The mutations of changes that are shown but not yet accepted by the server, in the order in which they are sent.
    public var pendingChanges: [Mutation] { changes.map(\.mutation) }

    /// Changes the content immediately, if there is any, sends the change, and undoes it if the request fails.
    ///
    /// ```swift
    /// profile.change({ $0.name = "Ada Lovelace" }) { profile in
    ///     profile.request(.PATCH, parameters: ["name": "Ada Lovelace"])
    /// }
    /// ```
    ///
    /// Pending changes are sent one after the other, and are shown on top of the server's newest data. After a success,
    /// the response's content replaces the data. If the response has status 204 or 205, or isn't content of this type,
    /// the change becomes part of the data, and an observed resource loads again. A failure undoes only this change. A wipe cancels all changes.
    ///
    /// - Parameters:
    ///   - change: Changes the content. Called again for newer data, so it should set values and not toggle them.
    ///   - mutation: The object that shows the progress, by default a new one.
    ///   - request: Creates the request when the changes before it have completed, and again for ``Mutation/retry()``.
    /// - Returns: The mutation.
    @discardableResult
    public func change(
        _ change: @escaping @MainActor (inout Content) -> Void, tracking mutation: Mutation = Mutation(),
        request: @escaping @MainActor (Resource) -> ServiceTask
    ) -> Mutation {
        mutation.start { [self] end in
            changes.append(PendingChange(mutation, change, request: request, end: end))
            showChanges()
            sendFirstChange()
        }
        return mutation
    }

    private func showChanges() {
        serverEntity = serverEntity
        raise(.newData(.localOverride))
    }

    private func sendFirstChange() {
        guard let change = changes.first, !change.isSending else { return }
        change.isSending = true
        let task = change.request(self)
        // The closure may have wiped the resource.
        guard change === changes.first else { return task.cancel() }
        change.task = task
        let (type, read) = reading
        task.onOutcome(.main, of: type) { content in
            try? read(content)
        } _: { response in
            MainActor.assumeIsolated { self.end(change, response) }
        }
    }

    /// Completes a change. `response` can be a success with `nil` if the response isn't content of this type.
    private func end(_ change: PendingChange<Content>, _ response: Result<Entity<Content>?, ServiceError>) {
        guard change === changes.first else { return }
        changes.removeFirst()
        var outcome: Result<Void, ServiceError> = .success(())
        switch response {
        case .success(let entity?) where !entity.isWithoutContent: supersede(with: entity, .network)
        case .success: accept(change)
        case .failure(let error) where error.isAboutContent: accept(change)
        case .failure(let error):
            outcome = .failure(error)
            showChanges()
        }
        change.end(outcome)
        sendFirstChange()
    }

    private func accept(_ change: PendingChange<Content>) {
        if var entity = serverEntity {
            change.apply(&entity.content)
            replaceData(entity)
            isOverridden = true
        }
        raise(.newData(.localOverride))
        markInvalidated()
        // The response to a running load may not include the change yet.
        if isObserved || isLoading { load() }
    }
}

@MainActor
final class PendingChange<Content: Sendable> {
    let mutation: Mutation
    let apply: @MainActor (inout Content) -> Void
    let request: @MainActor (Resource<Content>) -> ServiceTask
    let end: @MainActor (Result<Void, ServiceError>) -> Void
    var isSending = false
    var task: ServiceTask?

    init(
        _ mutation: Mutation, _ apply: @escaping @MainActor (inout Content) -> Void,
        request: @escaping @MainActor (Resource<Content>) -> ServiceTask,
        end: @escaping @MainActor (Result<Void, ServiceError>) -> Void
    ) {
        self.mutation = mutation
        self.apply = apply
        self.request = request
        self.end = end
    }

    func cancel() {
        task?.cancel()
        end(.failure(ServiceError(.cancelled)))
    }
}

extension ServiceError {
    /// Whether the server reported success, but the response isn't content of the expected type.
    fileprivate var isAboutContent: Bool {
        switch reason {
        case .emptyBody, .unparsable, .undecodable, .contentMismatch, .noOutput:
            statusCode.map { (200..<300).contains($0) } ?? false
        default: false
        }
    }
}
