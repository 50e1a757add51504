// Models of the documents of ``JSONCorpus``. A property has the name of its member in the document.

struct Search: Codable, Equatable, Sendable {
    var statuses: [Post]
    var search_metadata: Info

    struct Info: Codable, Equatable, Sendable {
        var completed_in: Double
        var max_id: Int
        var query: String
        var count: Int
    }

    struct Metadata: Codable, Equatable, Sendable {
        var result_type: String
        var iso_language_code: String
    }

    struct Post: Codable, Equatable, Sendable {
        var metadata: Metadata
        var created_at: String
        var id: Int
        var id_str: String
        var text: String
        var source: String
        var truncated: Bool
        var in_reply_to_status_id: Int?
        var user: User
        var geo: String?
        var coordinates: String?
        var retweeted_status: Shared?
        var retweet_count: Int
        var favorite_count: Int
        var entities: Entities
        var favorited: Bool
        var retweeted: Bool
        var lang: String
    }

    /// The enum is indirect because a structure can't contain itself.
    indirect enum Shared: Codable, Equatable, Sendable {
        case post(Post)

        init(from decoder: any Decoder) throws {
            self = .post(try Post(from: decoder))
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .post(let post): try post.encode(to: encoder)
            }
        }
    }

    struct User: Codable, Equatable, Sendable {
        var id: Int
        var id_str: String
        var name: String
        var screen_name: String
        var location: String
        var description: String
        var url: String?
        var protected: Bool
        var followers_count: Int
        var friends_count: Int
        var listed_count: Int
        var created_at: String
        var favourites_count: Int
        var utc_offset: Int?
        var time_zone: String?
        var geo_enabled: Bool
        var verified: Bool
        var statuses_count: Int
        var lang: String
        var profile_image_url: String
        var default_profile: Bool
    }

    struct Entities: Codable, Equatable, Sendable {
        var hashtags: [String]
        var symbols: [String]
        var urls: [Link]
        var user_mentions: [Mention]
    }

    struct Link: Codable, Equatable, Sendable {
        var url: String
        var expanded_url: String
        var indices: [Int]
    }

    struct Mention: Codable, Equatable, Sendable {
        var screen_name: String
        var name: String
        var id: Int
        var indices: [Int]
    }
}

struct Catalogue: Codable, Equatable, Sendable {
    var areaNames: [String: String]
    var performances: [Performance]
    var venueNames: [String: String]

    struct Performance: Codable, Equatable, Sendable {
        var eventId: Int
        var id: Int
        var logo: String?
        var name: String?
        var prices: [Price]
        var seatCategories: [Category]
        var seatMapImage: String?
        var start: Int
        var venueCode: String
    }

    struct Price: Codable, Equatable, Sendable {
        var amount: Int
        var audienceSubCategoryId: Int
        var seatCategoryId: Int
    }

    struct Category: Codable, Equatable, Sendable {
        var areas: [Area]
        var seatCategoryId: Int
    }

    struct Area: Codable, Equatable, Sendable {
        var areaId: Int
        var blockIds: [Int]
    }
}

struct Features: Codable, Equatable, Sendable {
    var type: String
    var features: [Feature]

    struct Feature: Codable, Equatable, Sendable {
        var type: String
        var properties: [String: String]
        var geometry: Geometry
    }

    struct Geometry: Codable, Equatable, Sendable {
        var type: String
        var coordinates: [[[Double]]]
    }
}

struct Answer: Codable, Equatable, Sendable {
    var stores: [Store]
    var total: Int
    var page: Int
    var next: String?

    struct Store: Codable, Equatable {
        var id: Int
        var name: String
        var address: Address
        var open: Bool
        var rating: Double
        var tags: [String]
    }

    struct Address: Codable, Equatable, Sendable {
        var street: String
        var city: String
        var zip: String
    }
}

/// An element of ``JSONCorpus/texts``.
struct Texts: Codable, Equatable, Sendable {
    var id: String
    var name: String
    var city: String
    var email: String
}

/// An element of ``JSONCorpus/stores``.
struct Store: Codable, Equatable {
    var id: Int
    var name: String
    var city: String
    var latitude: Double
    var longitude: Double
    var isOpen: Bool
    var phone: String?
    var tags: [String]
}
