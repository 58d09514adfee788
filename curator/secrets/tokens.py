"""Detectors of secrets by shape: tokens and webhooks of known services, and private key blocks."""

from collections.abc import Iterator

from curator.secrets.detector import (
    Detector,
    DetectorScope,
    Span,
    compiled,
    is_base58check,
    is_random_rest,
    is_random_value,
)

_NO = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def _prefixed(name: str, label: str, prefixes: str, rest: str) -> Detector:
    """Return a detector of a token made of one of some prefixes and a random rest."""
    literals = tuple(prefixes.split())
    started = "|".join(prefix.replace(".", r"\.") for prefix in literals)
    return Detector(name, label, literals, rf"{_NO}(?:{started})({rest})", check=is_random_rest)


def _exact(name: str, label: str, literal: str, pattern: str, before: int = 0) -> Detector:
    """Return a detector of a token with an unmistakable shape."""
    return Detector(name, label, (literal,), pattern, before=before)


def _webhook(name: str, label: str, literal: str, pattern: str) -> Detector:
    return Detector(name, label, (literal,), pattern, DetectorScope.WORD, 1, is_random_value)


def _run(name: str, label: str, pattern: str) -> Detector:
    return Detector(name, label, (), pattern, DetectorScope.RUN)


_URL, _ALNUM, _HEX = r"[A-Za-z0-9_\-]", r"[A-Za-z0-9]", r"[0-9a-f]"

TOKENS: tuple[Detector, ...] = (
    # code hosts and packages
    _prefixed("github", "GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"[A-Za-z0-9_]{16,260}"),
    _prefixed(
        "gitlab",
        "GitLab token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glwt- GR1348941",
        rf"{_URL}{{16,300}}(?:\.[a-z0-9]{{2}}\.[a-z0-9]{{7,9}})?",
    ),
    _prefixed("bitbucket", "Bitbucket app password", "ATBB", r"[A-Za-z0-9]{28,40}"),
    _prefixed("atlassian", "Atlassian API token", "ATATT3 ATCTT3", rf"{_URL}{{60,400}}(?:=[0-9A-F]{{8}})?"),
    _prefixed("npm", "npm token", "npm_", r"[A-Za-z0-9]{30,60}"),
    _prefixed("pypi", "PyPI token", "pypi-", rf"{_URL}{{16,400}}"),
    _prefixed("rubygems", "RubyGems key", "rubygems_", r"[0-9a-f]{40,60}"),
    _prefixed("nuget", "NuGet key", "oy2", r"[a-z0-9]{43}" + _END),
    _prefixed("docker", "Docker token", "dckr_pat_ dckr_oat_", rf"{_URL}{{16,60}}"),
    _prefixed("artifactory", "Artifactory token", "AKCp cmVmdGtu", rf"{_ALNUM}{{50,90}}"),
    _prefixed("clojars", "Clojars token", "CLOJARS_", r"[0-9a-f]{50,70}"),
    _prefixed("sonar", "Sonar token", "squ_ sqp_ sqa_", r"[0-9a-f]{36,50}"),
    # clouds
    _exact("aws", "AWS access key id", "AKIA", rf"{_NO}AKIA[A-Z2-7]{{16}}"),
    *(
        _exact("aws", "AWS access key id", start, rf"{_NO}{start}[A-Z0-9]{{16}}{_END}")
        for start in ("ASIA", "ABIA", "ACCA", "A3T")
    ),
    _prefixed("aws", "Amazon Bedrock key", "ABSK", r"[A-Za-z0-9+/]{80,300}={0,2}"),
    _exact("aws", "Amazon MWS token", "amzn.mws.", rf"amzn\.mws\.{_UUID}"),
    _prefixed("google", "Google API key", "AIza", rf"{_URL}{{24,60}}"),
    _prefixed("google", "Google client secret", "GOCSPX-", rf"{_URL}{{20,40}}"),
    _prefixed("google", "Google access token", "ya29.", r"[A-Za-z0-9_\-.]{24,400}"),
    _prefixed("google", "Google refresh token", "1//0", rf"{_URL}{{30,200}}"),
    _exact("azure", "Azure client secret", "8Q~", r"(?<![\w~.-])[\w~.-]{3}8Q~[\w~.-]{31,36}", 4),
    _exact("azure", "Azure DevOps token", "AZDO", rf"{_NO}[A-Za-z0-9]{{70,80}}AZDO[A-Za-z0-9]{{4}}", 81),
    Detector(
        "azure",
        "Azure account key",
        ("accountkey=", "accesskey="),
        r"[a-z]+key=([a-z0-9+/]{30,100}={0,2})",
        DetectorScope.WORD,
        1,
    ),
    _prefixed("heroku", "Heroku key", "HRKU-", rf"{_URL}{{30,80}}"),
    _prefixed("digitalocean", "DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{40,70}"),
    _prefixed("cloudflare", "Cloudflare origin key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,160}"),
    _prefixed("netlify", "Netlify token", "nfp_ nfc_ nfo_ nfu_", rf"{_ALNUM}{{30,50}}"),
    _prefixed("render", "Render key", "rnd_", rf"{_ALNUM}{{24,40}}"),
    _prefixed("vercel", "Vercel token", "vcp_ vci_ vca_ vcr_ vck_", rf"{_ALNUM}{{20,80}}"),
    _prefixed("fly", "Fly.io token", "fm2_ fm1r_ fm1a_ fo1_", r"[A-Za-z0-9+/_\-=,]{30,900}"),
    _prefixed("supabase", "Supabase key", "sbp_ sb_secret_", rf"{_URL}{{20,60}}"),
    _prefixed("planetscale", "PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w\-.=]{30,70}"),
    _prefixed("neon", "Neon key", "napi_", r"[a-z0-9]{40,80}"),
    _prefixed("alibaba", "Alibaba access key", "LTAI", rf"{_ALNUM}{{12,24}}{_END}"),
    _prefixed("tencent", "Tencent secret id", "AKID", rf"{_ALNUM}{{13,40}}{_END}"),
    _prefixed("yandex", "Yandex key", "AQVN", rf"{_URL}{{30,40}}"),
    # operations
    _prefixed("vault", "Vault token", "hvs. hvb. hvr.", rf"{_URL}{{20,400}}"),
    _exact("terraform", "Terraform Cloud token", ".atlasv1.", rf"{_NO}{_ALNUM}{{10,20}}\.atlasv1\.{_URL}{{40,90}}", 21),
    _prefixed("pulumi", "Pulumi token", "pul-", r"[0-9a-f]{40}"),
    _exact(
        "doppler",
        "Doppler token",
        "dp.",
        rf"{_NO}dp\.(?:ct|pt|st|sa|scim|audit)\.(?:[\w-]{{2,35}}\.)?{_ALNUM}{{30,50}}",
    ),
    _prefixed("databricks", "Databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    _prefixed("newrelic", "New Relic key", "NRAK- NRII- NRIQ- NRJS- NRRA- NRSP-", rf"{_URL}{{16,50}}"),
    _run("newrelic", "New Relic license key", r"[0-9a-f]{36}NRAL" + _END),
    _prefixed("grafana", "Grafana token", "glsa_ glc_", r"[A-Za-z0-9_+/=]{30,400}"),
    _prefixed("sentry", "Sentry token", "sntrys_ sntryu_", r"[A-Za-z0-9_+/=\-]{40,500}"),
    _prefixed("dynatrace", "Dynatrace token", "dt0c01. dt0s01. dt0s16.", r"[A-Z0-9]{20,30}\.[A-Z0-9]{60,70}"),
    _prefixed("honeycomb", "Honeycomb key", "hcaik_ hcbik_ hcamk_", r"[a-z0-9]{40,70}"),
    Detector("launchdarkly", "LaunchDarkly key", ("sdk-", "mob-", "api-"), rf"{_NO}(?:sdk|mob|api)-{_UUID}"),
    _prefixed("prefect", "Prefect key", "pnu_ pnb_", r"[a-z0-9]{30,40}"),
    _prefixed("infracost", "Infracost key", "ico-", rf"{_ALNUM}{{30,34}}"),
    _prefixed("tailscale", "Tailscale key", "tskey-", r"[a-z]{2,8}-[\w-]{20,80}"),
    _prefixed("postman", "Postman key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _prefixed("onepassword", "1Password token", "ops_", r"eyJ[\w=\-]{40,1500}"),
    # chat and post
    _prefixed(
        "slack",
        "Slack token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe- xoxe. xapp-",
        r"[\w\-%.+/]{10,400}",
    ),
    _webhook(
        "slack", "Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/\w+/[\w/]{2,60}?/([\w-]{16,80})(?![\w/-])"
    ),
    _webhook(
        "teams", "Teams webhook", "webhook.office.com/", r"webhook\.office\.com/\S{0,160}?/([0-9a-f]{32}\S{0,60})"
    ),
    *(
        _webhook("discord", "Discord webhook", f"{host}/api/webhooks/", r"[\w.]+/api/webhooks/\d{5,25}/([\w-]{20,100})")
        for host in ("discord.com", "discordapp.com")
    ),
    _webhook("zapier", "Zapier webhook", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/catch/(\d+/\w{5,20})"),
    _run("discord", "Discord bot token", r"[MNO][A-Za-z0-9_\-]{22,28}\.[\w-]{6,7}\.[\w-]{27,45}" + _END),
    _prefixed("discord", "Discord token", "mfa.", rf"{_URL}{{60,100}}"),
    _exact("telegram", "Telegram bot token", ":AA", rf"(?<!\d)\d{{8,10}}:AA{_URL}{{32,35}}", 11),
    _exact("twilio", "Twilio key", "SK", rf"{_NO}SK[0-9a-f]{{32}}{_END}"),
    _exact("twilio", "Twilio account id", "AC", rf"{_NO}AC[0-9a-f]{{32}}{_END}"),
    _prefixed("sendgrid", "SendGrid key", "SG.", rf"{_URL}{{16,30}}\.{_URL}{{20,60}}"),
    _prefixed("mailgun", "Mailgun key", "key-", rf"{_URL}{{24,40}}"),
    _run("mailgun", "Mailgun key", rf"[0-9a-f]{{32}}-[0-9a-f]{{8}}-[0-9a-f]{{8}}{_END}"),
    _run("mailchimp", "Mailchimp key", rf"[0-9a-f]{{32}}-us\d{{1,2}}{_END}"),
    _prefixed("mandrill", "Mandrill key", "md-", rf"{_URL}{{22}}(?![\w-])"),
    _prefixed("brevo", "Brevo key", "xkeysib- xsmtpsib-", rf"{_URL}{{60,100}}"),
    _prefixed("resend", "Resend key", "re_", rf"{_ALNUM}{{8}}_{_ALNUM}{{20,30}}"),
    # money
    _prefixed(
        "stripe", "Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ whsec_", rf"{_ALNUM}{{16,250}}"
    ),
    _prefixed("square", "Square token", "sq0atp- sq0csp- sq0idp- EAAA", rf"{_URL}{{20,80}}"),
    _exact(
        "braintree",
        "Braintree token",
        "access_token$",
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}",
    ),
    _prefixed("shopify", "Shopify token", "shpat_ shpss_ shpca_ shppa_ shptka_", rf"{_ALNUM}{{28,40}}"),
    Detector(
        "plaid",
        "Plaid token",
        ("access-production-", "access-sandbox-", "access-development-"),
        rf"{_NO}access-[a-z]+-{_UUID}",
    ),
    _prefixed("razorpay", "Razorpay key", "rzp_live_ rzp_test_", rf"{_ALNUM}{{14,24}}"),
    _prefixed("flutterwave", "Flutterwave key", "FLWSECK", r"(?:_TEST)?-[0-9a-f]{12,32}(?:-X)?"),
    _prefixed("shippo", "Shippo token", "shippo_live_ shippo_test_", r"[0-9a-f]{36,50}"),
    _prefixed("easypost", "EasyPost key", "EZAK EZTK", rf"{_ALNUM}{{50,60}}"),
    _prefixed("duffel", "Duffel token", "duffel_live_ duffel_test_", rf"{_URL}{{36,50}}"),
    # models
    _prefixed("openai", "OpenAI key", "sk-proj- sk-svcacct- sk-admin-", rf"{_URL}{{16,300}}"),
    _exact("openai", "OpenAI key", "T3BlbkFJ", rf"{_NO}sk-[\w-]{{20,220}}T3BlbkFJ{_URL}{{16,220}}", 230),
    _prefixed("anthropic", "Anthropic key", "sk-ant-", rf"{_URL}{{16,300}}"),
    _prefixed("model-api", "key of a model service", "sk- sk_", rf"{_URL}{{15,300}}"),
    _prefixed("huggingface", "Hugging Face token", "hf_ api_org_", rf"{_ALNUM}{{28,50}}{_END}"),
    _prefixed(
        "model-api",
        "key of a model service",
        "gsk_ xai- tvly- pplx- r8_ rpa_ nvapi- csk- tgp_v1_ lsv2_pt_ lsv2_sk_ pcsk_ pa- fw_ jina_ fal-",
        rf"{_URL}{{15,200}}",
    ),
    # work and people
    _prefixed("figma", "Figma token", "figd_ figo_", rf"{_URL}{{30,60}}"),
    _prefixed("notion", "Notion token", "ntn_ secret_", rf"{_ALNUM}{{30,60}}"),
    _exact("airtable", "Airtable token", "pat", rf"{_NO}pat{_ALNUM}{{14}}\.[0-9a-f]{{64}}"),
    _prefixed("linear", "Linear key", "lin_api_ lin_oauth_", rf"{_ALNUM}{{30,70}}"),
    Detector(
        "asana",
        "Asana token",
        (),
        r"(?<![\w/])[12]/\d{14,18}(?:/\d{14,18})?:[0-9a-f]{32}",
        DetectorScope.RUN,
        before=40,
    ),
    _prefixed("trello", "Trello token", "ATTA", r"[0-9a-f]{60,70}"),
    _prefixed("dropbox", "Dropbox token", "sl.", rf"{_URL}{{100,400}}"),
    _prefixed("contentful", "Contentful token", "CFPAT-", rf"{_URL}{{36,50}}"),
    _prefixed("hubspot", "HubSpot token", "pat-", rf"[a-z]{{2}}\d-{_UUID}"),
    _prefixed("typeform", "Typeform token", "tfp_", r"[\w\-=.]{36,70}"),
    _prefixed("readme", "ReadMe key", "rdme_", r"[a-z0-9]{60,80}"),
    _prefixed("facebook", "Facebook token", "EAA", rf"{_ALNUM}{{90,300}}"),
    _prefixed("twitter", "Twitter bearer token", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{50,150}"),
    _prefixed("twitch", "Twitch token", "oauth:", r"[a-z0-9]{30}" + _END),
    _prefixed("work-api", "API token", "pat- key- secret_", rf"{_URL}{{16,80}}"),
    # keys of any service
    _exact(
        "jwt", "JSON web token", "eyJ", r"(?<![A-Za-z0-9])eyJ[\w=-]{5,9000}\.[\w=-]{2,9000}(?:\.[\w.+/=-]{0,9000})?"
    ),
    _prefixed("mapbox", "Mapbox token", "sk.eyJ pk.eyJ tk.eyJ", r"[\w=-]{20,900}\.[\w-]{15,60}"),
    _prefixed("age", "age key", "AGE-SECRET-KEY-", r"1[A-Z0-9]{40,70}"),
    Detector(
        "bitcoin",
        "extended private key",
        ("xprv", "yprv", "zprv", "tprv"),
        rf"{_NO}[xyzt]prv[1-9A-HJ-NP-Za-km-z]{{100,115}}",
    ),
    Detector(
        "bitcoin",
        "Bitcoin private key",
        (),
        rf"[5KLc9][1-9A-HJ-NP-Za-km-z]{{50,51}}{_END}",
        DetectorScope.RUN,
        check=is_base58check,
    ),
)

_BLOCK_BEGIN = r"-{0,5}[ ]?BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?"
_BLOCK_END = r"-{0,5}[ ]?END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY"
_BREAK = r"(?:\s|\\+[nr])*"
_BLOCK = (  # to its end, or as far as its lines go
    rf"{_BLOCK_BEGIN}[ ]?-{{0,5}}(?:(?:(?!{_BLOCK_BEGIN})[\s\S]){{0,19000}}?{_BLOCK_END}(?: BLOCK)?[ ]?-{{0,5}}"
    rf"|(?:{_BREAK}(?:[A-Za-z0-9+/]{{16,}}={{0,2}}|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]*))*"
    r"(?:(?:\n|\\+n)[A-Za-z0-9+/]{1,76}={0,2}(?=\s*(?:\n|$)))?)"
)
_PUTTY = r"PuTTY-User-Key-File-\d(?:[\s\S]{0,19000}?Private-MAC:[ \t]*[0-9a-fA-F]+|[^\n]*)"


def key_blocks(text: str) -> Iterator[Span]:
    """Yield private keys with all their lines."""
    for pattern in (_BLOCK, _PUTTY):
        for match in compiled(pattern).finditer(text):
            yield match.span()


BLOCKS = (
    Detector(
        "private-key", "private key", ("private key", "putty-user-key-file"), scan=DetectorScope.WORD, find=key_blocks
    ),
)
