import Foundation

/// What tasks of few services have around them: one object, since it would take 120 bytes of each task and of each service, and
/// most have none of it.
final class TaskSurroundings: Sendable {
    /// Nil stands for the system's.
    let clock: (any ServiceClock)?
    /// Who is told how tasks go on.
    let watcher: (any TaskWatcher)?
    /// What a resource wants of its own requests.
    let load: LoadTerms?

    init(clock: (any ServiceClock)?, watcher: (any TaskWatcher)?, load: LoadTerms?) {
        self.clock = clock
        self.watcher = watcher
        self.load = load
    }
}

/// Is told how the tasks of a service go on, before any handler sees it, on any thread.
protocol TaskWatcher: Sendable {
    /// A request whose method isn't safe (RFC 9110 §9.2.1) has been answered with a success or a redirect.
    func taskHasWritten(_ task: ServiceTask)
    /// The server has been asked in the background about the stale response that a task got from a cache, and the caches have
    /// what it said.
    func taskHasRefreshed(_ task: ServiceTask)
    /// A task has its response, or has failed.
    func taskHasEnded(_ task: ServiceTask)
}

/// How a request that a resource loads by differs from one that its user would make.
enum LoadTerms: Sendable {
    /// Only the caches are asked.
    case caches
    /// Only the server is asked; caches that take part keep what it says. Where no cache has validators of its own,
    /// those of what the resource has are sent.
    case server(Validators?)

    /// The validators of the response that the resource has.
    var validators: Validators? { if case .server(let validators) = self { validators } else { nil } }
}

extension Request {
    /// Takes the terms of a resource's load.
    mutating func apply(_ terms: LoadTerms, hasCaches: Bool) {
        switch terms {
        case .caches: if entityCaching != .ignore { entityCaching = .only }
        case .server:
            if hasCaches, entityCaching != .ignore, entityCaching != .only { entityCaching = .revalidate }
        }
    }
}
