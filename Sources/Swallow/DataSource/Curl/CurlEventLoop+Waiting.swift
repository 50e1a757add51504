#if os(Linux) && canImport(Glibc)
    import Foundation

    /// Requests that wait for a connection to their host.
    extension CurlEventLoop {
        /// Begins a request, or lets it wait.
        func admit(_ task: CurlDataTask, _ request: CurlRequest, _ wishes: CurlDataTask.Wishes) {
            let (now, host) = (commons.now, queue.host(of: request))
            if let host, !queue.enter(host) {
                let limit = commons.options.idleLimit ?? request.idleLimit
                let waiting = CurlQueue.Waiting(task, request, at: host, now, idleLimit: limit)
                queue.add(waiting)
                nextCheck = min(nextCheck, waiting.limit)
                if wishes.progress { noteLength(of: waiting) }
            } else {
                begin(task, request, host, since: now, idleSince: now)
                active[ObjectIdentifier(task)]?.apply(wishes)
            }
        }

        /// Carries out an order for a task that isn't active: it waits in the queue, or it has ended.
        func attend(toWaiting task: CurlDataTask, _ order: CurlDataTask.Order, _ wishes: CurlDataTask.Wishes)
        {
            switch order {
            case .abort, .drain: release(queue.remove(task))
            case .pause: queue.suspend(task)
            case .start, .proceed: queue.proceed(task, commons.now)
            }
            guard let waiting = queue.request(of: task) else { return }
            nextCheck = min(nextCheck, waiting.limit)
            if wishes.progress { noteLength(of: waiting) }
        }

        /// Sends each waiting request whose host has a free connection, then carries out what its task has ordered meanwhile.
        func startWaiting() {
            while let next = queue.take() {
                begin(
                    next.task, next.request, next.place.host, since: next.place.start,
                    idleSince: next.place.countsFrom ?? commons.now)
                attend(to: next.task)
            }
        }

        /// Ends the requests that have waited for too long.
        func failLate(_ now: UInt64) {
            for (task, request) in queue.takeLate(now) {
                task.fail(.refused(.timedOut, "no connection to its host came free"))
                release(request)
            }
        }

        private func noteLength(of waiting: CurlQueue.Waiting) {
            guard let (task, request) = waiting.content else { return }
            task.note(
                TransferProgress(
                    sent: 0, received: 0, expectedToSend: request.bodyLength, expectedToReceive: nil))
        }

        /// Leaves the release of a request to another thread if its body may be an app's stream.
        func release(_ request: CurlRequest?) {
            guard let request, request.streamedBody != nil else { return }
            thread.leave { withExtendedLifetime(request) {} }
        }
    }
#endif
