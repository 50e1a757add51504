// Documents with line breaks and indentation.

extension JSONCorpus {
    /// Posts of a social network, with nested objects, long keys, escapes and many non-ASCII characters.
    static let posts = JSONCorpus(
        "posts",
        """
        {
          "statuses": [
            \(list(of: 210, ",\n    ") { post(isShared: $0 % 2 == 0, &$1) })
          ],
          "search_metadata": {"completed_in": 0.087, "max_id": 505874924095815681, "query": "%E4%B8%80", "count": 210}
        }
        """)

    /// A catalogue of concerts, with small numbers and long keys that repeat.
    static let catalogue = JSONCorpus(
        "catalogue",
        """
        {
            "areaNames": {
                \(list(of: 200, ",\n        ") { index, _ in "\"\(205_705_993 + index)\": \"Arrière-scène \(index)\"" })
            },
            "performances": [
                \(list(of: 850, ",\n        ") { _, random in performance(&random) })
            ],
            "venueNames": {
                "PLEYEL_PLEYEL": "Salle Pleyel"
            }
        }
        """)

    private static let words = [
        "今日は", "天気が", "良い", "ので", "散歩", "に行く", "ありがとう", "RT", "@friend", "http://t.co/abc123",
        "猫", "😀", "café", "hello", "world",
    ]

    private static func post(isShared: Bool, _ random: inout PseudorandomNumbers) -> String {
        let id = 505_874_000_000_000_000 + random.next(900_000_000)
        let text = list(of: 10, " ", &random) { $1.pick(words) }
        return """
            {
                  "metadata": {
                    "result_type": "recent",
                    "iso_language_code": "ja"
                  },
                  "created_at": "Sun Aug 31 00:29:15 +0000 2014",
                  "id": \(id),
                  "id_str": "\(id)",
                  "text": "\(text)\\n\(random.pick(words))",
                  "source": "<a href=\\"http:\\/\\/example.com\\" rel=\\"nofollow\\">Web<\\/a>",
                  "truncated": false,
                  "in_reply_to_status_id": null,
                  "user": \(user(&random)),
                  "geo": null,
                  "coordinates": null,
                  \(isShared ? "\"retweeted_status\": \(post(isShared: false, &random)),\n" : "")
                  "retweet_count": \(random.next(100)),
                  "favorite_count": \(random.next(100)),
                  "entities": {
                    "hashtags": [],
                    "symbols": [],
                    "urls": [
                      {
                        "url": "http:\\/\\/t.co\\/x",
                        "expanded_url": "http:\\/\\/example.com\\/\(id)",
                        "indices": [12, 34]
                      }
                    ],
                    "user_mentions": [
                      {
                        "screen_name": "aym0566x",
                        "name": "前田あゆみ",
                        "id": \(random.next(900_000_000)),
                        "indices": [0, 9]
                      }
                    ]
                  },
                  "favorited": false,
                  "retweeted": false,
                  "lang": "ja"
                }
            """
    }

    private static func user(_ random: inout PseudorandomNumbers) -> String {
        let id = 1_000_000_000 + random.next(1_000_000_000)
        let description = list(of: 12, " ", &random) { $1.pick(words) }
        return """
            {
                    "id": \(id),
                    "id_str": "\(id)",
                    "name": "\(random.pick(words))\(random.pick(words))",
                    "screen_name": "user_\(random.next(100_000))",
                    "location": "\(random.pick(["東京", "", "Zürich", "Pittsburgh, PA"]))",
                    "description": "\(description)",
                    "url": null,
                    "protected": false,
                    "followers_count": \(random.next(10_000)),
                    "friends_count": \(random.next(3000)),
                    "listed_count": \(random.next(50)),
                    "created_at": "Sun May 25 02:07:29 +0000 2014",
                    "favourites_count": \(random.next(9000)),
                    "utc_offset": \(random.pick(["32400", "null", "-18000"])),
                    "time_zone": "Tokyo",
                    "geo_enabled": \(random.pick(["true", "false"])),
                    "verified": false,
                    "statuses_count": \(random.next(90_000)),
                    "lang": "ja",
                    "profile_image_url": "http:\\/\\/pbs.twimg.com\\/profile_images\\/\(id)\\/img_normal.jpeg",
                    "default_profile": true
                  }
            """
    }

    private static func performance(_ random: inout PseudorandomNumbers) -> String {
        let prices = list(of: 3, ",\n            ", &random) { _, random in
            """
            {
                            "amount": \(10_000 + random.next(90_000)),
                            "audienceSubCategoryId": \(337_100_890 + random.next(5)),
                            "seatCategoryId": \(338_937_000 + random.next(300))
                        }
            """
        }
        let areas = list(of: 8, ",\n                    ", &random) { _, random in
            """
            {
                                    "areaId": \(205_705_990 + random.next(10)),
                                    "blockIds": []
                                }
            """
        }
        return """
            {
                        "eventId": \(138_586_341 + random.next(1000)),
                        "id": \(339_887_544 + random.next(100_000)),
                        "logo": \(random.pick(["null", "\"/images/UE0AAAAACEKo6QAAAAZDSVRN\""])),
                        "name": \(random.pick(["null", "\"30th Anniversary Tour\""])),
                        "prices": [
                            \(prices)
                        ],
                        "seatCategories": [
                            {
                                "areas": [
                                    \(areas)
                                ],
                                "seatCategoryId": \(338_937_000 + random.next(300))
                            }
                        ],
                        "seatMapImage": null,
                        "start": \(1_372_701_600_000 + random.next(1_000_000)),
                        "venueCode": "PLEYEL_PLEYEL"
                    }
            """
    }
}
