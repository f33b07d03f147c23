"""Names of robots that the library does not know, and names that it mistakes for them.

Each word is a regular expression without spaces. How to renew them: docs/robots.md.
"""

from __future__ import annotations

from datetime import date

CHECKED_ON = date(2026, 11, 28)
# Their files were measured: `python -m supply.agents` shows what is missed and mistaken.
SOURCES = (
    "https://github.com/monperrus/crawler-user-agents",
    "https://github.com/omrilotan/isbot",
    "https://github.com/matomo-org/device-detector",
    "https://github.com/faisalman/ua-parser-js",
    "https://github.com/ua-parser/uap-core",
)

# Nouns that end a robot's name: SiteScanner, link-checker, Cohere-AI.
NOUNS = r"""
    -ai advisor agent archiver? archiving auditor automation bots? capture check checker
    crawl crawlers? crawling dcv detector diagnostics discovery domains expander exporter
    fetch fetcher filter finder fingerprint harvester headless hunter indexer inspector
    lighthouse lookup matcher measure measurements? monitor monitoring parser patchwatch
    prefetch preview prober? radar reaver recon (?<!p)research scan scanner scanning scorer
    scrap scraper scraping screenshots? searcher spiders? statistics survey synthetics?
    tester thumbnails unfurler -user(?!-) validator verif(?:y|ier|ication) watcher webhooks?
"""

# Whole names of monitors, test drivers, agents, previews and scanners of tags and consent.
NAMES = r"""
    abuse AdobeAIR Akkoma AlertSite AmazonBuyForMe Apify AppInsights Applitools ArchiveBox
    Artillery Assetnote Better-?Stack BlazeMeter Browserbase Browserless Browserstack
    browser-use Browshot Cardyb CasperJS Catchpoint Checkly Chromatic Collapsify Confiant
    ContentKing Convertify cookie\S* Criticalcss Cypress Datadog\S* DataTrue DebugBear
    DejaClick Detectify Devin Didomi Dlc Dotcom-Monitor Dynatrace\S* Foregenix Freshping
    Friendica Functionize GeoEdge GhostInspector googleweblight
    Google-?(?:Ad|Agent)\S* Google-[a-z]+ GoToSocial GTmetrix HetrixTools Hotjar HtmlUnit
    Hydra Hyperbrowser Hyperping JMeter jsdom k6(?=/) Katalon Keydrop l9explore Lemmy mabl Manus
    MarketGoo Mastodon Misskey MonitoRSS Monsido Morningscore newsai NewsNow Nightwatch
    NovaAct ObservePoint OhDear OneTrust OnlyScans Osano pa11y pageburst PeerTube Penthouse
    Percy PhantomJS Pixalate Pixelfed Playwright Pleroma PTST Pulsetic Puppeteer
    \S*PowerShell Qualys Readable Rendertron Rigor ScrapingBee SecurityHeaders Selenium
    Sematext Silktide Sindup Sitespeed Skyvern SlimerJS Sparkler SpeedCurve splash Splunk
    TagInspector Termly TestCafe TestComplete TestLocally ThousandEyes Time/[0-9]{13}
    TrustArc updown\.io Uptrends Urlbox Usercentrics Visualping watchTowr WebDriver\S*
    WebPageTest wechatdevtools xtate Yottaa ZenRows
"""

# Devices, carriers, and apps with a browser, whose names contain those of robots.
PEOPLE = r"""
    (?<=FB)(?:BD|CR|DM|DV|MD|MF)/[^;\]]*
    (?:(?<=Android)|(?<=Adr))\s?[0-9][0-9.]*;(?:\s?[a-z]{2}(?:[-_][a-z]{2,4})?;)?[^;()]*
    (?<=Android)\s\([0-9]+/[^)]*\)
    (?<=IEMobile/)[0-9.]+;[^)]*
    (?:HbbTV|FVC)/[0-9.]+\s\([^)]*\)
    AmigaVoyager AndroidDownloadManager ArtisReader baiduboxapp/\S* Caboto CamScanner
    (?<=.)coccoc(?:browser)? (?:com|ru)\.yandex Cronet libwww-FM LibWeb\+LibJS Mattermost
    Microsoft\sOffice(?=\s) Microsoft\sOutlook NetNewsWire Outlook-Express
    Outlook-iOS(?:-Android)? PodcastAddict QQDownload QuiteRSS Slack turbotabbee
    Webster\sPro WhatsApp(?=/\S+\sAndroid/\S+\sDevice/)
"""
