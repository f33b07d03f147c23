"""User agents of people and of robots, written for the tests."""

from __future__ import annotations

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/142.0.0.0{} Safari/537.36{}"
)
PHONE = (
    "Mozilla/5.0 (Linux; Android 14; {}) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/141.0.0.0 Mobile Safari/537.36{}"
)
WEBVIEW = (
    "Mozilla/5.0 (Linux; Android 15; {} Build/AP3A.1; wv) AppleWebKit/537.36 (KHTML, "
    "like Gecko) Version/4.0 Chrome/140.0.7339.51 Mobile Safari/537.36{}"
)
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, "
    "like Gecko) {}Mobile/15E148{}"
)
FACEBOOK = (
    " [FBAN/FBIOS;FBAV/530.0.0.1;FBBV/1;FBDV/iPhone15,4;FBMD/iPhone;FBSN/iOS;FBSV/18.6;"
    "FBSS/3;FBCR/{};FBID/phone;FBLC/en_GB;FBOP/80]"
)
NAMED = (
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; {}) {}Safari/537.36"
)
FULL = "Chrome/140.0.0.0 "

# Browsers, and what their makers, devices and carriers are called.
PEOPLE = (
    CHROME.format("", ""),
    CHROME.format("", " Edg/142.0.0.0"),
    CHROME.format("", " OPR/125.0.0.0"),
    CHROME.format("", " Vivaldi/7.6"),
    CHROME.format(" YaBrowser/25.8", ""),
    CHROME.format("", " coccoc/132.0").replace("Chrome", "coc_coc_browser/132 Chrome"),
    CHROME.format(" Electron/31.1.0", "").replace("Chrome", "Teams/1.7 Chrome"),
    CHROME.format(" Electron/31.1.0", " Slack_SSB/4.40").replace(
        "Chrome", "Slack/4.40 Chrome"
    ),
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0",
    "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/18.6 Safari/605.1.15",
    "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)",
    "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.1; Trident/7.0; Microsoft Outlook "
    "14.0.7113; ms-office; MSOffice 14)",
    "Mozilla/5.0 (Windows NT 6.1; Trident/7.0; Banca Caboto s.p.a.; rv:11.0) like Gecko",
    "Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18",
    "Dalvik/2.1.0 (Linux; U; Android 13; Pixel 6a Build/TQ3A.1)",
    PHONE.format("K", ""),
    PHONE.format("Spider 8", ""),
    PHONE.format("C Bot Tab 70", ""),
    PHONE.format("M_bot_60", ""),
    PHONE.format("XBot Senior", ""),
    PHONE.format("CUBOT_KINGKONG 9", ""),
    PHONE.format("CUBOT P80 Build/TP1A", ""),
    PHONE.format("VR BOT 552 PLUS", ""),
    PHONE.format("Crawler X1", ""),
    PHONE.format("AUPO Zeus 10 Pro", ""),
    PHONE.format("SM-S911B", " (Ecosia android@141.0.1)"),
    PHONE.format("SM-S911B", " EdgA/141.0.0.0"),
    PHONE.format("SM-S911B", " DuckDuckGo/5"),
    WEBVIEW.format("SM-A546B", " YandexSearch/8.45"),
    WEBVIEW.format("SM-A546B", " NAVER(inapp; search; 2000; 12.9.5)"),
    WEBVIEW.format("Redmi", " Viber/25.1"),
    WEBVIEW.format("Redmi", " CamScanner/6.8"),
    WEBVIEW.format("Redmi", " com.yandex.zen/4.4"),
    WEBVIEW.format(
        "S550", " Instagram 400.0 Android (34/14; 320dpi; CUBOT; Bot; S550)"
    ),
    WEBVIEW.format(
        "SM-G991B", " trill_400101 AppName/musical_ly BytedanceWebview/d8a21c6"
    ),
    WEBVIEW.format("SM-G991B", " MicroMessenger/8.0.60 NetType/WIFI"),
    WEBVIEW.format("SM-G991B", " Line/15.12.0/IAB"),
    WEBVIEW.format("SM-G991B", " [Pinterest/Android]"),
    WEBVIEW.format("SM-G991B", " [FB_IAB/FB4A;FBAV/530.0.0.1;FBCR/Spider Mobile;]"),
    IPHONE.format("", FACEBOOK.format("OrangeBotswana")),
    IPHONE.format("", FACEBOOK.format("Robot Mobile")),
    IPHONE.format("", FACEBOOK.format("Crawl Telecom")),
    IPHONE.format(
        "", " Instagram 400.0.0.28.93 (iPhone15,4; iOS 18_6; en_GB; scale=3.00)"
    ),
    IPHONE.format("", " LinkedInApp/9.31"),
    IPHONE.format("Outlook-iOS-Android/1.0 ", " Safari/604.1"),
    IPHONE.format("Outlook-iOS/2.0 ", ""),
    IPHONE.format("GSA/390.0 ", " Safari/604.1"),
    IPHONE.format("CriOS/141.0 ", " Safari/604.1"),
    IPHONE.format(
        "Version/18.6 ", " Safari/604.1 Snapchat/13.60 (like Safari/8621, panda)"
    ),
    "Mozilla/5.0 (Linux; Andr0id 9; ATV R2) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/77.0 Safari/537.36 HbbTV/1.5.1 (+DRM;BOTECH;ATV R2;1.0;TVs;) FVC/5.0 (BOTECH;)",
    "Mozilla/5.0 (compatible; MSIE 9.0; Windows Phone OS 7.5; IEMobile/9.0; HTC; Radar 4G)",
    "UCWEB/2.0 (MIDP-2.0; U; Adr 6.0; en; CUBOT_ECHO) U2/1.0.0 UCBrowser/9.9 Mobile",
    "Nokia6100/1.0 (05.16) Profile/MIDP-1.0 Configuration/CLDC-1.0",
    "",
)

ROBOTS = (
    # Monitors that run scripts.
    CHROME.format("", " (Checkly, https://www.checklyhq.com)"),
    CHROME.format("", " DatadogSynthetics"),
    CHROME.format("", " NewRelicSynthetics/1.0"),
    CHROME.format("", " CloudWatchSynthetics/arn"),
    CHROME.format("", " DynatraceSynthetic/1.0"),
    CHROME.format("", " (Dotcom-Monitor)"),
    CHROME.format("", " (ThousandEyes Agent)"),
    CHROME.format("", " GTmetrix"),
    CHROME.format("", " PTST/250101.1"),
    CHROME.format("", " Chrome-Lighthouse"),
    CHROME.format("", " SomethingMonitor/2"),
    "Mozilla/5.0 (X11; Linux x86_64; Rigor) AppleWebKit/537.36 Chrome/86.0 Safari/537.36",
    "Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
    "Blackbox Exporter/0.24.0",
    # Drivers.
    CHROME.format("", " Playwright/1.55"),
    CHROME.format("", "; Selenium"),
    CHROME.format(" Cypress/15.1.0", ""),
    CHROME.format("", "").replace("Chrome/", "HeadlessChrome/"),
    "Mozilla/5.0 (Unknown; Linux) AppleWebKit/538.1 PhantomJS/2.1.1 Safari/538.1",
    "Mozilla/5.0 (unknown OS) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.0",
    # Agents.
    NAMED.format("Google-Agent", FULL),
    NAMED.format("GoogleAgent-Mariner", FULL),
    NAMED.format("Perplexity-User/1.0; +https://perplexity.ai/perplexity-user", ""),
    NAMED.format("ChatGPT-User/1.0; +https://openai.com/bot", ""),
    NAMED.format("Claude-User/1.0; +Claude-User@anthropic.com", ""),
    NAMED.format("NewAgentOfTomorrow/1.0", FULL),
    CHROME.format("", "; Devin/1.0; +devin.ai"),
    CHROME.format("", "; Manus-User/1.0"),
    CHROME.format("", " Agent-NovaAct/0.9"),
    "Mozilla/5.0 (compatible; AmazonBuyForMe; +https://www.amazon.com/)",
    # Previews.
    NAMED.format("Bluesky Cardyb/1.1; +mailto:support@bsky.app", FULL),
    "Mozilla/5.0 (compatible; SnapURLPreview/1.0; +https://www.snapchat.com)",
    "Viber",
    "WhatsApp/2.24.1 A",
    "Lemmy/0.19.8; +https://lemmy.example",
    "Mastodon/4.3.1 (http.rb/5.2.0; +https://mastodon.example/)",
    "gotosocial/0.19.2 (+https://social.example)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "ClickUpLinkUnfurler/1.0",
    # Scanners of consent, tags and security.
    CHROME.format("", " CookieHubScan/3.0"),
    CHROME.format("", " TagInspector/500.1"),
    CHROME.format("", "; OneTrust;"),
    CHROME.format("", " SecurityHeaders"),
    CHROME.format("", " +https://sitebulb.com"),
    "Mozilla/5.0 (compatible; CookieInformationScanner; +https://cookieinformation.com)",
    "Mozilla/5.0 (compatible; Detectify)",
    "iubenda-radar/2.25.2",
    # A robot on a phone, search engines, libraries.
    PHONE.format(
        "Nexus 5X", " (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
    ),
    WEBVIEW.format("Spider 8", " AdsBot-Google-Mobile"),
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "python-requests/2.32.3",
    "curl/8.5.0",
    "Go-http-client/2.0",
    "colly/2.1.0",
    "anthropic-ai",
)
