import Foundation

/// Writes a response's body to a file, on its own queue. ``Resumption`` decides where the bytes of each attempt belong.
final class DownloadSink: BodySink {
    enum Work: Sendable {
        case begin(DownloadRecord?)
        case write(Data, at: Int64)
        case finish(Completion)
        case abandon(@Sendable () -> Void)
    }

    struct State: Sendable {
        var resumption: Resumption?
        var file: PartialFile?
        var newFile: String?
        var head: HTTPURLResponse?
        var owner: SinkOwner?
        var work = BodyPartQueue<Work>()
        var failure: ServiceError?
        /// Whether `fail` was called. Later bytes are dropped.
        var hasEnded = false
    }

    private let request: Request
    let download: Request.Download
    private let queue = DispatchQueue(label: "Swallow.Download", qos: .utility)
    let state = Lock(State())

    init(_ download: Request.Download, of request: Request) {
        self.download = download
        self.request = request
    }

    deinit {
        let (file, isResumable) = state.withLock { ($0.file, $0.resumption?.isResumable ?? false) }
        if let file { queue.async { file.abandon(isResumable: isResumable) } }
    }

    /// Opens the partial file. Tries for about 0.6 s if it is locked, because a cancelled download unlocks it late.
    func open(
        for urlRequest: URLRequest, attempt: Int = 0,
        _ completion: @escaping @Sendable (ServiceError?) -> Void
    ) {
        queue.asyncAfter(deadline: .now() + (attempt == 0 ? 0 : 0.005 * Double(1 << attempt))) { [self] in
            do throws(ServiceError) {
                if try open(for: urlRequest) { return completion(nil) }
                if attempt < 6 { return open(for: urlRequest, attempt: attempt + 1, completion) }
                let detail =
                    "another download to the same target is running and has locked the partial file"
                throw ServiceError(.invalidRequest, detail: detail, request: request)
            } catch {
                completion(error)
            }
        }
    }

    private func open(for urlRequest: URLRequest) throws(ServiceError) -> Bool {
        // A completed task needs no partial file.
        if state.withLock({ $0.hasEnded }) { return true }
        var resumption = Resumption(for: urlRequest)
        if download.resumes, let problem = resumption.problemWithResuming {
            throw ServiceError(.invalidRequest, detail: problem)
        }
        guard let file = try PartialFile(download) else { return false }
        if let (record, length) = file.remainder { resumption.takeOver(record, length: length) }
        state.withLock { ($0.file, $0.resumption) = (file, resumption) }
        return true
    }

    func requestForRest(from urlRequest: URLRequest) -> URLRequest {
        var urlRequest = urlRequest
        if download.resumes { urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        return state.withLock { $0.resumption?.request(completing: urlRequest) } ?? urlRequest
    }

    func progress(_ transfer: TransferProgress?) -> TransferProgress {
        state.withLock { $0.resumption?.progress(transfer) } ?? transfer ?? TransferProgress()
    }

    var canResume: Bool {
        state.withLock { state in
            state.head != nil && state.failure == nil && state.resumption?.isResumable == true
        }
    }
}

extension DownloadSink {
    func decision(on head: HTTPURLResponse) -> FollowUpDecision {
        let isSuccess = isSuccess(head)
        return state.withLock { state in
            guard isSuccess || state.resumption?.startsOver(after: head) == true else {
                // The body of a failure can't continue the body of a success.
                return state.head == nil
                    ? .final : .fail(ServiceError(.unacceptableStatus, request: request, response: head))
            }
            if state.head != nil { state.head = head }
            switch state.resumption?.take(head) {
            case .append: return .final
            case .begin(let record):
                state.work.add(.begin(record))
                return .final
            case .fail(let problem):
                return .fail(
                    ServiceError(.invalidResponse, detail: problem, request: request, response: head))
            case .startOver, nil: return .sendAgain(FollowUp(cause: .range))
            }
        }
    }

    private func isSuccess(_ head: HTTPURLResponse) -> Bool {
        let codes = request.acceptableStatusCodes
        let isAcceptable =
            codes.contains(head.statusCode) || head.statusCode == 206 && codes.contains(200)
        return isAcceptable && head.statusCode != 304
            && request.acceptsContentType(of: ResponseHead(head))
    }

    func accepts(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool { self.isSuccess(head) }

    var acceptsCollectedBody: Bool { false }
}

extension DownloadSink {
    func begin(_ head: HTTPURLResponse, for owner: SinkOwner) {
        state.withLock { ($0.head, $0.owner) = (head, owner) }
    }

    var flow: Flow { state.withLock { $0.work.flow } }

    func receive(_ bodyPart: Data) {
        add { state in
            guard let resumption = state.resumption, state.failure == nil, !state.hasEnded else { return }
            state.resumption?.add(bodyPart.count)
            state.work.add(.write(bodyPart, at: resumption.length), byteCount: bodyPart.count)
        }
    }

    func complete(_ completion: @escaping Completion) {
        add { $0.work.add(.finish(completion)) }
    }

    func fail(with error: ServiceError, completion: @escaping @Sendable () -> Void) {
        add { state in
            state.hasEnded = true
            state.work.add(.abandon(completion))
        }
    }

    private func add(_ change: (inout State) -> Void) {
        let startsConsumer = state.withLock { state in
            change(&state)
            return state.work.startConsumer()
        }
        if startsConsumer { queue.async { self.performWork() } }
    }
}

extension DownloadSink {
    func performWork() {
        while true {
            let (work, hasRoom) = state.withLock { $0.work.take() }
            if hasRoom { state.withLock { $0.owner }?.sinkHasRoom() }
            guard let work else { return }
            perform(work)
        }
    }

    private func perform(_ work: Work) {
        let (file, failure) = state.withLock { ($0.file, $0.failure) }
        do throws(ServiceError) {
            switch work {
            case .begin(let record):
                if failure == nil { try file?.begin(record) }
            case .write(let bytes, let offset):
                if failure == nil { try file?.write(bytes, at: offset) }
            case .finish(let completion): completeFile(file, failure, completion)
            case .abandon(let completion):
                abandonFiles()
                completion()
            }
        } catch {
            state.withLock { $0.failure = error }
            state.withLock { $0.owner }?.fail(with: error)
        }
    }

    private func completeFile(_ file: PartialFile?, _ failure: ServiceError?, _ completion: Completion) {
        let (resumption, head, hasEnded) = state.withLock { ($0.resumption, $0.head, $0.hasEnded) }
        do throws(ServiceError) {
            if let failure { throw failure }
            if hasEnded { throw .cancelled }
            guard let file, let resumption, let head else { throw ServiceError(.invalidResponse) }
            if let problem = resumption.problem {
                throw ServiceError(.transport(URLError(.networkConnectionLost)), detail: problem)
            }
            let path = try file.finish(length: resumption.length, name: download.name(for: head))
            let newFile = download.target == nil ? path : nil
            state.withLock { ($0.file, $0.newFile) = (nil, newFile) }
            let url = download.target ?? URL(fileURLWithPath: path, isDirectory: false)
            let entity = Entity(content: url, response: head)
            completion(.success(entity.withContent(url as any Sendable)))
        } catch {
            abandonFiles()
            completion(.failure(error))
        }
    }

    private func abandonFiles() {
        let (file, newFile, isResumable) = state.withLock { state in
            (state.file.take(), state.newFile.take(), state.resumption?.isResumable ?? false)
        }
        file?.abandon(isResumable: isResumable)
        // The task has failed, so no handler receives the URL of the new file.
        if let newFile { SystemFile.remove(newFile) }
    }
}
