//! The words that all text is made of. None of them contains a digit: digits are numbers of sites.

/// First segments of patterns: what sites close to crawlers.
#[rustfmt::skip]
pub(crate) const KEPT: &[&str] = &[
    "admin", "administrator", "account", "accounts", "ajax", "api", "app", "archive", "assets", "auth",
    "backend", "backup", "basket", "bin", "blocks", "cache", "cart", "catalogsearch", "cgi-bin", "checkout",
    "cms", "comments", "common", "compare", "components", "config", "contact", "content", "controls", "core",
    "css", "customer", "data", "database", "demo", "dev", "dialog", "docs", "download", "downloads", "edit",
    "email", "embed", "error", "errors", "export", "feed", "feeds", "files", "filter", "forgot-password",
    "forms", "forum", "go", "groups", "help", "images", "img", "import", "inc", "includes", "install",
    "internal", "invite", "invoice", "javascript", "js", "json", "language", "layouts", "legacy", "libs",
    "libraries", "links", "list", "live", "locale", "log", "login", "logout", "logs", "lost", "mail",
    "maintenance", "manage", "map", "media", "member", "members", "messages", "misc", "mobile", "modules",
    "my-account", "node", "old", "order", "orders", "out", "page", "pages", "panel", "partner", "password",
    "pdf", "plugins", "poll", "popup", "portal", "preview", "print", "private", "profile", "profiles", "proxy",
    "public", "rate", "redirect", "register", "report", "reports", "resources", "reviews", "rss", "scripts",
    "search", "secure", "send", "service", "services", "session", "settings", "share", "shop", "signin",
    "signup", "sites", "skins", "staff", "staging", "static", "stats", "store", "submit", "subscribe",
    "support", "swf", "system", "tag", "tags", "temp", "template", "templates", "test", "themes", "tmp",
    "tools", "tracking", "trackback", "upload", "uploads", "user", "users", "utility", "vendor", "view",
    "webmail", "widgets", "wishlist", "wp-admin", "wp-content", "wp-includes", "wp-json", "xml",
];

/// First segments of URLs: what sites show.
#[rustfmt::skip]
pub(crate) const SHOWN: &[&str] = &[
    "about", "articles", "blog", "books", "business", "careers", "category", "centre", "collections", "company",
    "courses", "culture", "departments", "discover", "education", "en", "events", "explore", "family",
    "features", "gallery", "guide", "guides", "health", "history", "ideas", "info", "insights", "journal",
    "learn", "library", "local-news", "magazine", "market", "museum", "music", "news", "newsroom", "notices",
    "people", "places", "posts", "press", "products", "programs", "projects", "publications", "recipes",
    "research", "science", "sport", "stories", "travel", "topics", "weather", "world",
];

/// Words of titles, and of deeper segments.
#[rustfmt::skip]
pub(crate) const TITLE: &[&str] = &[
    "a", "about", "above", "across", "advice", "after", "air", "all", "amber", "and", "anchor", "apple",
    "april", "around", "art", "autumn", "balance", "bank", "barley", "basin", "beacon", "before", "begin",
    "behind", "best", "better", "between", "bicycle", "birch", "bird", "blue", "board", "boat", "border",
    "bread", "bridge", "bright", "build", "calm", "canal", "candle", "carbon", "carpenter", "cedar", "chair",
    "change", "chapter", "city", "clear", "climate", "clock", "cloud", "coast", "cold", "colour", "copper",
    "corner", "cotton", "council", "country", "crane", "creek", "crop", "daily", "dawn", "deep", "delta",
    "design", "distance", "door", "early", "earth", "east", "easy", "edge", "eight", "engine", "evening",
    "every", "farm", "fast", "feather", "field", "first", "five", "flag", "floor", "flow", "forest", "four",
    "fresh", "from", "garden", "glass", "gold", "good", "grain", "green", "ground", "growth", "harbour",
    "harvest", "heat", "high", "hill", "home", "honey", "horizon", "house", "how", "ice", "in", "inside",
    "iron", "island", "january", "july", "june", "key", "kitchen", "lake", "lamp", "lantern", "large", "late",
    "leaf", "letter", "level", "light", "line", "linen", "little", "long", "low", "maple", "march", "mark",
    "meadow", "metal", "mill", "minor", "mirror", "month", "moon", "morning", "mountain", "moss", "new",
    "night", "nine", "north", "notes", "oak", "ocean", "of", "office", "old", "on", "one", "open", "orange",
    "orchard", "order", "over", "paper", "path", "pattern", "pebble", "pine", "plain", "plan", "planet",
    "plant", "pocket", "point", "pond", "quiet", "rain", "range", "red", "reed", "report", "review", "ridge",
    "river", "road", "roof", "room", "rope", "round", "saddle", "sail", "salt", "sand", "season", "second",
    "seed", "seven", "shade", "ship", "shore", "short", "silver", "six", "sky", "slow", "small", "snow", "soft",
    "south", "spring", "square", "station", "steel", "stone", "storm", "stream", "street", "summer", "sun",
    "table", "tea", "ten", "the", "three", "thread", "tide", "timber", "to", "today", "tower", "town", "trade",
    "train", "tree", "two", "under", "update", "valley", "village", "wall", "water", "wave", "weather", "week",
    "west", "what", "wheel", "white", "why", "wide", "wind", "window", "winter", "with", "wood", "wool", "year",
    "yellow", "your",
];

/// Words outside ASCII.
#[rustfmt::skip]
pub(crate) const LETTERS: &[&str] = &[
    "über-uns", "größe", "música", "búsqueda", "catégorie", "été", "usługi", "sprzedaż", "příspěvky",
    "hakkımızda", "поиск", "новости", "корзина", "検索", "商品", "新闻", "검색", "חיפוש",
];

/// Words as URLs contain them; some need no encoding, some have it in lower case.
#[rustfmt::skip]
pub(crate) const ENCODED: &[&str] = &[
    "caf%C3%A9", "%C3%BCber", "s%C3%A3o", "two%20words", "a%2Fb", "%7Euser", "50%25", "na%c3%afve", "%E6%96%B0",
    "o%27clock", "q%26a", "%D0%BD%D0%BE%D0%B2", "%28draft%29", "part%2bone",
];

/// Parameters of queries.
#[rustfmt::skip]
pub(crate) const PARAMETERS: &[&str] = &[
    "action", "brand", "cat", "category", "color", "currency", "date", "dir", "filter", "format", "from", "id",
    "keyword", "lang", "limit", "mode", "offset", "order", "orderby", "page", "params", "price", "print", "q",
    "query", "ref", "replytocom", "s", "search", "session", "sid", "size", "sort", "source", "start", "tab",
    "tag", "theme", "token", "type", "utm_campaign", "utm_medium", "utm_source", "variant", "view", "year",
];

/// Ends of file names.
#[rustfmt::skip]
pub(crate) const EXTENSIONS: &[&str] = &[
    "html", "htm", "php", "aspx", "asp", "pdf", "jsp", "xml", "json", "jpg", "png", "gif", "css", "js", "doc",
    "zip", "txt", "cgi", "do", "swf",
];

/// Product tokens of crawlers, of search engines and others.
#[rustfmt::skip]
pub(crate) const CRAWLERS: &[&str] = &[
    "GPTBot", "CCBot", "Googlebot", "bingbot", "Google-Extended", "ClaudeBot", "anthropic-ai", "ChatGPT-User",
    "PerplexityBot", "Bytespider", "Amazonbot", "Applebot-Extended", "AhrefsBot", "SemrushBot", "MJ12bot",
    "DotBot", "Baiduspider", "Yandex", "PetalBot", "ia_archiver", "Mediapartners-Google", "AdsBot-Google",
    "Googlebot-Image", "Googlebot-News", "Slurp", "DuckDuckBot", "facebookexternalhit", "FacebookBot",
    "Meta-ExternalAgent", "Twitterbot", "LinkedInBot", "Pinterestbot", "Applebot", "OAI-SearchBot", "cohere-ai",
    "Diffbot", "omgili", "omgilibot", "ImagesiftBot", "YouBot", "Timpibot", "DataForSeoBot", "BLEXBot",
    "SeznamBot", "Sogou web spider", "YandexBot", "msnbot", "rogerbot", "Exabot", "archive.org_bot",
    "TurnitinBot", "Nutch", "magpie-crawler", "Scrapy", "wget", "HTTrack", "WebCopier", "Teleport",
    "EmailCollector", "SiteSnagger",
];

/// Labels of hosts.
#[rustfmt::skip]
pub(crate) const LABELS: &[&str] = &[
    "shop", "news", "blog", "forum", "wiki", "docs", "city", "school", "club", "garden", "music", "photo",
    "travel", "studio", "market", "labs", "works", "daily", "museum", "clinic",
];

/// Reserved names, which no registry sells (RFC 2606, RFC 6761).
#[rustfmt::skip]
pub(crate) const RESERVED: &[&str] = &[
    "example", "example", "example", "test", "invalid", "example.com", "example.net", "example.org",
];

/// Typical comments in a robots.txt.
#[rustfmt::skip]
pub(crate) const REMARKS: &[&str] = &[
    "Everything below is for automated visitors.", "Please be gentle: this server is small.",
    "Pages that only make sense to people who are signed in", "Folders of the system itself",
    "Lists that can be sorted in a thousand ways", "Ask the webmaster before you change this file.",
    "Results of searches are no pages.", "Crawlers that took too much",
    "Printed views repeat what is elsewhere.", "Old addresses, kept for old links",
];
