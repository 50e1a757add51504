import Foundation
import Swallow
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A fault of a data source, and the promise that it breaks.
enum Fault: String, CaseIterable, Sendable {
    case startsEarly = "Nothing before resume()"
    case completesTwice = "One completion"
    case mixesResponses = "Each request has its own response"
    case rejectsNotFound = "Any status is a response"
    case dropsBody = "The request"
    case hidesErrors = "Errors"
    case ignoresSuspend = "suspend() and resume()"
    case cancelsLate = "cancel() before resume()"
    case ignoresCancel = "cancel() before the head"
    case ignoresCancelWhileSuspended = "cancel() while suspended"
    case repeatsParts = "Parts in order"
    case dropsEarlyBytes = "A late receiver"
    case replacesReceiver = "The first receiver"
    case streamsWhileSuspended = "No part while suspended"
    case deliversInsideStream = "No part inside a function"
    case deliversAfterCompletion = "No part after the completion"
    case retainsReceiver = "The receiver is released"
    case startsTwice = "Calls from many threads"
    case deadlocksInDataTask = "The response"
    case deadlocksInResume = "suspend() before the start"
    case deadlocksInCancel = "cancel() during the body"
}

/// An adapter with one fault, or without one.
final class FaultyDataSource: SessionDataTaskDataSource {
    typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    typealias Receiver = @Sendable (ResponsePart) -> Void

    private let fault: Fault?
    private let base: any SessionDataTaskDataSource
    private let firstBody = Lock<Data?>(nil)
    private let receivers = Lock<[Receiver]>([])

    init(_ fault: Fault?, base: any SessionDataTaskDataSource) {
        (self.fault, self.base) = (fault, base)
    }

    func dataTask(with request: URLRequest, completion: @escaping Completion) -> any DataTask {
        switch fault {
        case nil: ForwardingTask(base.dataTask(with: request, completion: completion))
        case .startsEarly, .ignoresSuspend, .cancelsLate, .ignoresCancel, .ignoresCancelWhileSuspended,
            .startsTwice, .deadlocksInDataTask, .deadlocksInResume, .deadlocksInCancel:
            makeTaskWithFaultyFunction(request, completion)
        case .completesTwice, .mixesResponses, .rejectsNotFound, .dropsBody, .hidesErrors:
            makeTaskWithFaultyCompletion(request, completion)
        default: makeTaskWithFaultyParts(request, completion)
        }
    }
}

/// A data task that forwards the calls of its functions, unless a closure replaces one.
struct ForwardingTask: DataTask {
    typealias Function = @Sendable (any DataTask) -> Void

    let base: any DataTask
    var onResume: Function = { $0.resume() }
    var onSuspend: Function = { $0.suspend() }
    var onCancel: Function = { $0.cancel() }
    var onStream: @Sendable (any DataTask, @escaping FaultyDataSource.Receiver) -> Void = {
        $0.stream(to: $1)
    }

    init(_ base: any DataTask) {
        self.base = base
    }

    func resume() { onResume(base) }
    func suspend() { onSuspend(base) }
    func cancel() { onCancel(base) }
    func stream(to receiver: @escaping FaultyDataSource.Receiver) { onStream(base, receiver) }
}

// MARK: - Faults

extension FaultyDataSource {
    private func makeTaskWithFaultyFunction(
        _ request: URLRequest, _ completion: @escaping Completion
    ) -> any DataTask {
        var task = ForwardingTask(base.dataTask(with: request, completion: completion))
        switch fault {
        case .startsEarly: task.resume()
        case .ignoresSuspend: task.onSuspend = { _ in }
        case .ignoresCancel: task.onCancel = { _ in }
        case .deadlocksInDataTask: Self.deadlock()
        case .deadlocksInResume: task.onResume = { _ in Self.deadlock() }
        case .deadlocksInCancel: task.onCancel = { _ in Self.deadlock() }
        case .ignoresCancelWhileSuspended:
            let isSuspended = Lock(false)
            task.onSuspend = { task in
                isSuspended.withLock { $0 = true }
                task.suspend()
            }
            task.onCancel = { task in if !isSuspended.withLock({ $0 }) { task.cancel() } }
        case .cancelsLate:
            let (isStarted, isCancelled) = (Lock(false), Lock(false))
            task.onResume = { task in
                isStarted.withLock { $0 = true }
                isCancelled.withLock { $0 } ? task.cancel() : task.resume()
            }
            task.onCancel = { task in
                isCancelled.withLock { $0 = true }
                if isStarted.withLock({ $0 }) { task.cancel() }
            }
        default:
            let (base, started) = (base, Lock<(any DataTask)?>(nil))
            task.onResume = { _ in
                if let started = started.withLock({ $0 }) { return started.resume() }
                // Another thread may also create a task here.
                Thread.sleep(forTimeInterval: 0.001)
                let task = base.dataTask(with: request, completion: completion)
                started.withLock { $0 = task }
                task.resume()
            }
            task.onSuspend = { _ in started.withLock { $0 }?.suspend() }
            task.onCancel = { task in (started.withLock { $0 } ?? task).cancel() }
        }
        return task
    }

    private static func deadlock() {
        while true { Thread.sleep(forTimeInterval: 3600) }
    }

    private func makeTaskWithFaultyCompletion(
        _ request: URLRequest, _ completion: @escaping Completion
    ) -> any DataTask {
        var request = request
        if fault == .dropsBody { request.httpBody = nil }
        return base.dataTask(with: request) { [fault, firstBody] data, response, error in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            switch fault {
            case .completesTwice:
                completion(data, response, error)
                completion(data, response, error)
            case .mixesResponses:
                let first = firstBody.withLock { body in
                    body = body ?? data
                    return body
                }
                completion(first, response, error)
            case .rejectsNotFound where status >= 400:
                completion(nil, response, URLError(.badServerResponse))
            case .hidesErrors where error != nil: completion(Data(), response, nil)
            default: completion(data, response, error)
            }
        }
    }

    private func makeTaskWithFaultyParts(
        _ request: URLRequest, _ completion: @escaping Completion
    ) -> any DataTask {
        switch fault {
        case .streamsWhileSuspended: makeTaskThatHoldsOnlyItsCompletion(request, completion)
        case .dropsEarlyBytes, .deliversInsideStream, .replacesReceiver, .deliversAfterCompletion:
            makeTaskWithOwnReceiver(request, completion)
        default:
            makeTaskWithFaultyReceiver(request, completion)
        }
    }

    private func makeTaskWithFaultyReceiver(
        _ request: URLRequest, _ completion: @escaping Completion
    ) -> any DataTask {
        var task = ForwardingTask(base.dataTask(with: request, completion: completion))
        task.onStream = { [fault, receivers] task, receiver in
            if fault == .retainsReceiver { receivers.withLock { $0.append(receiver) } }
            task.stream { part in
                receiver(part)
                if fault == .repeatsParts, case .bytes = part { receiver(part) }
            }
        }
        return task
    }

    private func makeTaskWithOwnReceiver(
        _ request: URLRequest, _ completion: @escaping Completion
    ) -> any DataTask {
        let (current, early) = (Lock<Receiver?>(nil), Lock<[ResponsePart]>([]))
        let isLate = fault == .deliversAfterCompletion
        let base = base.dataTask(with: request) { data, response, error in
            completion(data, response, error)
            let receiver = current.withLock { $0.take() }
            if isLate { receiver?(.bytes(Data("late".utf8))) }
        }
        base.stream { part in
            guard let receiver = current.withLock({ $0 }) else { return early.withLock { $0.append(part) } }
            receiver(part)
        }
        var task = ForwardingTask(base)
        task.onStream = { [fault] _, receiver in
            let isFirst = current.withLock { current in
                let isFirst = current == nil
                if isFirst || fault == .replacesReceiver { current = receiver }
                return isFirst
            }
            guard fault == .deliversInsideStream, isFirst else { return }
            for part in early.withLock({ $0 }) { receiver(part) }
        }
        return task
    }

    private func makeTaskThatHoldsOnlyItsCompletion(
        _ request: URLRequest, _ completion: @escaping Completion
    ) -> any DataTask {
        let (isSuspended, held) = (Lock(false), Lock<(@Sendable () -> Void)?>(nil))
        let base = base.dataTask(with: request) { data, response, error in
            let complete: @Sendable () -> Void = { completion(data, response, error) }
            isSuspended.withLock { $0 } ? held.withLock { $0 = complete } : complete()
        }
        var task = ForwardingTask(base)
        task.onSuspend = { _ in isSuspended.withLock { $0 = true } }
        task.onResume = { task in
            isSuspended.withLock { $0 = false }
            task.resume()
            held.withLock { $0.take() }?()
        }
        return task
    }
}
