import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Writes a response's body to a file, on a queue of its own.
///
/// ``Resumption`` decides, ``PartFile`` writes. The head of each attempt decides where the bytes after it go, so that an
/// attempt can continue what earlier ones have received.
final class DownloadSink: BodySink {
    typealias Completion = @Sendable (Result<Entity<any Sendable>, ServiceError>) -> Void

    /// Work for the queue, in its order.
    fileprivate enum Work: Sendable {
        case begin(DownloadRecord?)
        case write(Data, at: Int64)
        case finish(Completion)
        case abandon(@Sendable () -> Void)
    }

    fileprivate struct State: Sendable {
        /// Nil before the part is open.
        var resumption: Resumption?
        /// Nil before the part is open, and once it needs nothing more.
        var file: PartFile?
        /// The new file that the part has become, while a failure may still come.
        var newFile: String?
        var head: HTTPURLResponse?
        var flow: BodyFlow?
        var work = Backlog<Work>(high: 512 * 1024, low: 128 * 1024)
        var isWorking = false
        /// Why nothing more can be written.
        var failure: ServiceError?
        /// Whether the task has failed. The bytes received before are still written, but don't become the target.
        var hasEnded = false
    }

    private let request: Request
    private let download: Request.Download
    private let queue = DispatchQueue(label: "Swallow.Download", qos: .utility)
    private let state = Lock(State())

    init(_ download: Request.Download, of request: Request) {
        self.download = download
        self.request = request
    }

    deinit {
        let (file, isWorthKeeping) = state.withLock { ($0.file, $0.resumption?.isWorthKeeping ?? false) }
        if let file { queue.async { file.abandon(isWorthKeeping: isWorthKeeping) } }
    }

    /// Opens the part, and reads what an earlier download has left in it.
    ///
    /// A download that was just cancelled holds its part until its own queue has run. So this tries again several times,
    /// within 0.7 s.
    ///
    /// - Parameter completion: called on the download's queue, with an error if the part can't be opened.
    func open(
        for urlRequest: URLRequest, attempt: Int = 0,
        _ completion: @escaping @Sendable (ServiceError?) -> Void
    ) {
        queue.asyncAfter(deadline: .now() + (attempt == 0 ? 0 : 0.005 * Double(1 << attempt))) { [self] in
            do throws(ServiceError) {
                if try open(for: urlRequest) { return completion(nil) }
                if attempt < 6 { return open(for: urlRequest, attempt: attempt + 1, completion) }
                let detail = "another download to the same target is under way, and has its part"
                throw ServiceError(.invalidRequest, detail: detail, request: request)
            } catch {
                completion(error)
            }
        }
    }

    /// - Returns: false where another download has the part.
    private func open(for urlRequest: URLRequest) throws(ServiceError) -> Bool {
        // The partial file of a task that has failed was removed, or is about to be.
        if state.withLock({ $0.hasEnded }) { return true }
        var resumption = Resumption(for: urlRequest)
        if download.resumes, let problem = resumption.problemWithResuming {
            throw ServiceError(.invalidRequest, detail: problem)
        }
        guard let file = try PartFile(download) else { return false }
        if let (record, length) = file.remainder { resumption.takeOver(record, length: length) }
        state.withLock { ($0.file, $0.resumption) = (file, resumption) }
        return true
    }

    /// Completes the request of an attempt: if the file has a beginning, it asks for the rest alone.
    func completed(_ urlRequest: URLRequest) -> URLRequest {
        var urlRequest = urlRequest
        if download.resumes { urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        return state.withLock { $0.resumption?.request(completing: urlRequest) } ?? urlRequest
    }

    /// The progress of the whole file, earlier bytes included.
    ///
    /// - Parameter transfer: what the data task knows; nil while there is none.
    func progress(_ transfer: TransferProgress?) -> TransferProgress {
        state.withLock { $0.resumption?.progress(transfer) } ?? transfer ?? TransferProgress()
    }

    /// Whether another attempt can continue the bytes received so far.
    var canGoOn: Bool {
        state.withLock { state in
            state.head != nil && state.failure == nil && state.resumption?.isWorthKeeping == true
        }
    }
}

// MARK: - Heads

extension DownloadSink {
    /// Decides on an attempt, and where its bytes go.
    func verdict(on head: HTTPURLResponse) -> Exchange.Verdict {
        let isSuccess = isSuccess(head)
        return state.withLock { state in
            guard isSuccess || state.resumption?.asksAgain(after: head) == true else {
                // A body that began as a success can't go on with a failure's.
                return state.head == nil
                    ? .accept : .fail(ServiceError(.unacceptableStatus, request: request, response: head))
            }
            if state.head != nil { state.head = head }
            switch state.resumption?.take(head) {
            case .append: return .accept
            case .begin(let record):
                state.work.add(.begin(record))
                return .accept
            case .refuse(let problem):
                return .fail(
                    ServiceError(.invalidResponse, detail: problem, request: request, response: head))
            case .askAgain, nil: return .again(Exchange.Again(cause: .range))
            }
        }
    }

    /// Whether the response is a success: a 206 is one where a 200 is.
    private func isSuccess(_ head: HTTPURLResponse) -> Bool {
        let codes = request.acceptableStatusCodes
        let isAcceptable =
            codes.contains(head.statusCode) || head.statusCode == 206 && codes.contains(200)
        // 304 (RFC 9110 §15.4.5) has no content to download.
        return isAcceptable && head.statusCode != 304
            && request.contentTypeError(of: ResponseHead(head), hasContent: true) == nil
    }

    func takes(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool { self.isSuccess(head) }

    var takesWhole: Bool { false }
}

// MARK: - The body

extension DownloadSink {
    func begin(_ head: HTTPURLResponse, _ flow: BodyFlow) throws(ServiceError) {
        state.withLock { ($0.head, $0.flow) = (head, flow) }
    }

    func receive(_ bytes: Data) {
        let isFull = add { state in
            guard let resumption = state.resumption, state.failure == nil else { return false }
            state.resumption?.add(bytes.count)
            return state.work.add(.write(bytes, at: resumption.length), byteCount: bytes.count)
        }
        if isFull { adjust() }
    }

    func finish(_ completion: @escaping Completion) {
        add { $0.work.add(.finish(completion)) }
    }

    func fail(_ error: ServiceError) { fail(error) {} }

    func fail(_ error: ServiceError, _ completion: @escaping @Sendable () -> Void) {
        add { state in
            state.hasEnded = true
            state.work.add(.abandon(completion))
        }
    }

    @discardableResult
    private func add<Result>(_ change: (inout State) -> Result) -> Result {
        let (starts, result) = state.withLock { state in
            let result = change(&state)
            defer { state.isWorking = true }
            return (!state.isWorking, result)
        }
        if starts { queue.async { self.work() } }
        return result
    }

    /// Performs the waiting work; runs on the queue.
    private func work() {
        while let (work, mayGoOn) = nextWork() {
            if mayGoOn { adjust() }
            perform(work)
        }
    }

    private func nextWork() -> (Work, mayGoOn: Bool)? {
        state.withLock { state in
            let wasFull = state.work.isFull
            let work = state.work.take()
            state.isWorking = work != nil
            return work.map { ($0, wasFull && !state.work.isFull) }
        }
    }

    /// Pauses the data source while too much work waits, else lets it go on.
    private func adjust() {
        state.withLock { $0.flow }?.update { state.withLock { $0.work.isFull } }
    }

    private func perform(_ work: Work) {
        let (file, failure) = state.withLock { ($0.file, $0.failure) }
        do throws(ServiceError) {
            switch work {
            case .begin(let record):
                if failure == nil { try file?.begin(record) }
            case .write(let bytes, let offset):
                if failure == nil { try file?.write(bytes, at: offset) }
            case .finish(let completion): finish(file, failure, completion)
            case .abandon(let completion):
                abandon()
                completion()
            }
        } catch {
            state.withLock { $0.failure = error }
            state.withLock { $0.flow }?.fail(with: error)
        }
    }

    private func finish(_ file: PartFile?, _ failure: ServiceError?, _ completion: Completion) {
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
            abandon()
            completion(.failure(error))
        }
    }

    private func abandon() {
        let (file, newFile, isWorthKeeping) = state.withLock { state in
            (state.file.take(), state.newFile.take(), state.resumption?.isWorthKeeping ?? false)
        }
        file?.abandon(isWorthKeeping: isWorthKeeping)
        // The task was cancelled while the file got its name, so no handler gets its URL.
        if let newFile { SystemFile.remove(newFile) }
    }
}
