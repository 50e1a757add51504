import Foundation

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
        // The task was cancelled during the rename, so no handler receives the URL of the new file.
        if let newFile { SystemFile.remove(newFile) }
    }
}
