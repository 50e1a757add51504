#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    /// How a transfer ended.
    enum CurlOutcome: Sendable {
        /// The lines of the head, and the body.
        case response([UInt8], Data)
        /// The lines of the head are there where it came whole.
        case failure(CurlFailure, head: [UInt8]? = nil)
    }

    /// Why a transfer failed.
    enum CurlFailure: Sendable {
        /// By libcurl's code, the result of the certificate's verification, and its own words.
        case transfer(Int32, verification: Int, String)
        /// By a rule of the data source's, which the text tells.
        case refused(URLError.Code, String? = nil)
        /// For a configuration or request that can't be used.
        case invalid(String)
        /// For a body that can't be read to its end.
        case body(ServiceError)
        /// For something that should not happen.
        case unknown(String)

        func error(url: URL?) -> any Error {
            switch self {
            case .transfer(let code, let verification, let text):
                Self.error(Self.code(of: code, verification: verification, text), text, url)
            case .refused(let code, let text): Self.error(code, text, url)
            case .invalid(let detail): ServiceError(.invalidRequest, detail: detail)
            case .body(let error): error
            case .unknown(let text): Self.error(.unknown, text, url)
            }
        }

        private static func error(_ code: URLError.Code, _ text: String?, _ url: URL?) -> URLError {
            var information: [String: Any] = [:]
            if let text { information[NSLocalizedDescriptionKey] = text }
            if let url { information[NSURLErrorFailingURLErrorKey] = url }
            return URLError(code, userInfo: information)
        }

        /// The URLError of a `CURLE_…`.
        private static func code(of code: Int32, verification: Int, _ text: String) -> URLError.Code {
            switch code {
            // 1: HTTP/0.9, since other schemes don't get here.
            case 1, 8, 16: .badServerResponse
            case 3: .badURL
            case 5, 6: .cannotFindHost
            case 7, 97: .cannotConnectToHost
            case 18, 52, 55, 65, 92: .networkConnectionLost
            // Bytes that are no chunk end in the same code as a connection that was lost.
            case 56: text.contains("chunk") ? .badServerResponse : .networkConnectionLost
            case 28: .timedOut
            case 35, 53, 54, 59, 64, 66, 77, 80, 82, 83: .secureConnectionFailed
            case 51, 60: certificateCode(verification)
            case 58: .clientCertificateRejected
            case 61: .cannotDecodeContentData
            case 63: .dataLengthExceedsMaximum
            case 90, 91: .serverCertificateUntrusted
            case 98: .clientCertificateRequired
            default: .unknown
            }
        }

        /// By OpenSSL's X509_V_ERR_… numbers.
        private static func certificateCode(_ verification: Int) -> URLError.Code {
            switch verification {
            case 9: .serverCertificateNotYetValid
            case 10: .serverCertificateHasBadDate
            default: .serverCertificateUntrusted
            }
        }
    }
#endif
