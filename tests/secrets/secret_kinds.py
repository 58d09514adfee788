"""Kinds of secrets: the form of each, and the sentences around it.

`«…»` marks what must be redacted, if that is less than all. Tokens that are recognisable by themselves stand in the
contexts of `ANYWHERE`; values that only their context makes a secret have contexts of their own.
"""
# ruff: noqa: E501

import random
from collections.abc import Iterator
from dataclasses import dataclass

from personal_kinds import PERSONAL as SAID_OF_PERSONS
from secret_values import fill

ANYWHERE = (
    "I used {} for that and it works now, thanks!",
    "here you go: {}",
    "EXAMPLE_VALUE={}",
    "export SERVICE_AUTH='{}'",
    "  auth: {}\n  region: eu-1",
    '{"name": "prod", "value": "{}", "on": true}',
    "curl https://api.example.com/v1/items -H 'X-Auth: {}'",
    "https://api.example.com/v1/items?auth={}&page=2",
    "User: {}\nAssistant: please rotate that one",
    'client = Client("{}")',
)
ALONE = ("see below\n{}\nthat is it", "I pasted it:\n\n{}\n\ncan you check?", 'x = """{}"""')
ADDRESS = ("{}", "url: {}", "URL={}", '{"url": "{}"}', "we connect to {} from the app", "connect('{}')")
PERSONAL = ("{}", "my number is {} if you need it", "it's {}, please book it", "number: {}", "He sent me {} yesterday.")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of secret: the template of its values and the contexts in which they stand."""

    name: str
    template: str
    contexts: tuple[str, ...] = ANYWHERE


@dataclass(frozen=True, slots=True)
class Sample:
    """A text with a secret, and the part that must be redacted."""

    text: str
    secret: str

    def is_raw_in(self, text: str) -> bool:
        """Return True if any eight characters in a row of the secret are left."""
        size = min(len(self.secret), 8)
        return any(self.secret[at : at + size] in text for at in range(len(self.secret) - size + 1))


def samples(kind: Kind, count: int = 10, seed: int = 1) -> Iterator[Sample]:
    """Yield `count` values of a kind, each in every context of the kind."""
    chance = random.Random(f"{kind.name}:{seed}")
    for _ in range(count):
        made = fill(kind.template, chance)
        before, mark, rest = made.partition("«")
        secret = rest.partition("»")[0] if mark else made
        value = before + rest.replace("»", "") if mark else made
        for context in kind.contexts:
            text = context.replace("{}", value.replace("\n", "\\n") if context.startswith('{"') else value)
            yield Sample(text, secret)


def _named(*names: str) -> tuple[str, ...]:
    """Return contexts in which only the name makes a value a secret: a variable, a setting, a sentence."""
    first, variable = names[0], names[0].upper().replace(" ", "_")
    return (
        f"{variable}={{}}",
        f'{variable}="{{}}"',
        f"export {variable}={{}}",
        f"{first.replace(' ', '_')}: {{}}",
        f'{{"{first.replace(" ", "_")}": "{{}}"}}',
        f'{first.replace(" ", "_")} = "{{}}"',
        f"my {first} is {{}}",
        f"{first}: {{}}",
    )


SAID = (
    "my wifi password is {}",
    "the password for the router is {}",
    "Password: {}",
    "password = {}",
    "pw: {}",
    "pass: {}",
    "pwd={}",
    "log in as bob with password {}",
    "use {} as password",
    "I set the password to {}",
    "the admin password was changed to {}",
    '{"user": "bob", "password": "{}"}',
    "DB_PASSWORD={}",
    "  password: {}\n  host: db1",
    "mein Passwort ist {}",
    "Kennwort: {}",
    "мой пароль: {}",
    "mi contraseña es {}",
    "mon mot de passe est {}",
    "a minha senha é {}",
    "moje hasło to {}",
    "密码是{}",
    "パスワード: {}",
    "wachtwoord: {}",
    "la mia password è {}",
    "parola: {}",
    "şifre: {}",
    "lösenord: {}",
    "비밀번호: {}",
    "user: bob / password: {}",
    "username bob, password {}",
    "my password's {}",
    "the password I use is {}",
    "Password I chose: {}",
    "root password -> {}",
    "le mot de passe du wifi est {}",
)
_QUOTED = (
    *(context for context in SAID if '"' in context),
    'my password is "{}"',
    "the passphrase is '{}'",
    'DB_PASSWORD="{}"',
    "passphrase: {}",
    "my passphrase is {}",
    "Password: {}",
    "my password is {}",
)
_CARD = (*PERSONAL, "card: {}, exp 04/29", "I paid with {} at the shop", '{"card": "{}"}')
_CVV = ("card 4\u2026 exp 04/29 cvv {}", "CVV: {}", "cvc={}", "security code {}", "the cvv is {}", "CVC {} on the back")
_PIN = (
    "my PIN is {}",
    "PIN: {}",
    "PIN for my phone: {}",
    "the pin for my card is {}",
    "phone PIN {}",
    "door code: {}",
    "my phone's PIN is {}",
    "die PIN ist {}",
    "pin code {}",
    "the alarm code is {}",
)
_SSN = ("my SSN is {}", "SSN: {}", "social security number {}", "ssn={}", "Social Security: {}")
_KEY_BEGIN, _KEY_END = "-----BEGIN ", "-----END "


def _block(name: str, body: str = "«{lines:6}»", head: str = "") -> str:
    return f"{_KEY_BEGIN}{name}-----\n{head}{body}\n{_KEY_END}{name}-----"


KINDS: tuple[Kind, ...] = (
    # code hosts and packages
    Kind("github-classic", "ghp_{alnum:36}"),
    Kind("github-oauth", "gho_{alnum:36}"),
    Kind("github-user", "ghu_{alnum:36}"),
    Kind("github-server", "ghs_{alnum:36}"),
    Kind("github-refresh", "ghr_{alnum:76}"),
    Kind("github-fine", "github_pat_{alnum:22}_{alnum:59}"),
    Kind("gitlab-pat", "glpat-{url:20}"),
    Kind("gitlab-routable", "glpat-{url:27}.{low:2}.{low:9}"),
    Kind("gitlab-deploy", "gldt-{url:20}"),
    Kind("gitlab-runner", "glrt-{url:20}"),
    Kind("gitlab-job", "glcbt-{hex:2}_{url:20}"),
    Kind("gitlab-trigger", "glptt-{hex:40}"),
    Kind("gitlab-feed", "glft-{url:20}"),
    Kind("gitlab-agent", "glagent-{url:50}"),
    Kind("gitlab-oauth", "gloas-{hex:64}"),
    Kind("gitlab-registration", "GR1348941{url:20}"),
    Kind("bitbucket-app", "ATBB{alnum:32}"),
    Kind("atlassian-api", "ATATT3xFfGF0{url:180}={HEX:8}"),
    Kind("atlassian-connect", "ATCTT3xFfGN0{url:180}={HEX:8}"),
    Kind("npm", "npm_{alnum:36}"),
    Kind("npmrc", "//npm.example.org/:_authToken=«{uuid}»", ("{}", "I have\n{}\nin .npmrc")),
    Kind("pypi", "pypi-AgEIcHlwaS5vcmc{url:150}"),
    Kind("rubygems", "rubygems_{hex:48}"),
    Kind("nuget", "oy2{low:43}", ("nuget push x.nupkg -k {}", "NUGET_API_KEY={}", "my nuget api key is {}")),
    Kind("crates", "cio{alnum:32}", _named("cargo registry token")),
    Kind("docker-pat", "dckr_pat_{url:27}"),
    Kind("docker-oat", "dckr_oat_{alnum:32}"),
    Kind("artifactory", "AKCp{alnum:69}"),
    Kind("artifactory-ref", "cmVmdGtu{alnum:56}"),
    Kind("clojars", "CLOJARS_{hex:60}"),
    Kind("sonar-user", "squ_{hex:40}"),
    Kind("sonar-project", "sqp_{hex:40}"),
    Kind("snyk", "{uuid}", _named("snyk token")),
    # clouds
    Kind("aws-key-id", "AKIA{b32:16}"),
    Kind("aws-temporary-id", "ASIA{b32:16}"),
    Kind("aws-secret", "{b64:40}", _named("aws secret access key")),
    Kind("aws-session", "{b64:280}", _named("aws session token")),
    Kind("aws-bedrock", "ABSK{b64:130}="),
    Kind("aws-mws", "amzn.mws.{uuid}"),
    Kind("aws-presigned", "https://b.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=«{hex:64}»", ADDRESS),
    Kind("gcs-presigned", "https://storage.googleapis.com/b/k?X-Goog-Expires=900&X-Goog-Signature=«{hex:512}»", ADDRESS),
    Kind("s3-signed-v2", "https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Expires=1&Signature=«{quoted:20}»", ADDRESS),
    Kind("google-api", "AIza{url:35}"),
    Kind("google-secret", "GOCSPX-{url:28}"),
    Kind("google-access", "ya29.{url:120}"),
    Kind("google-refresh", "1//0{url:60}"),
    Kind("azure-storage", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«{b64:86}==»;EndpointSuffix=x", ADDRESS),
    Kind("azure-sas", "https://a.blob.core.windows.net/c/b?sv=2022-11-02&ss=b&se=2026-01-01&sig=«{quoted:32}»", ADDRESS),
    Kind("azure-client-secret", "{alnum:3}8Q~{alnum:34}"),
    Kind("azure-devops", "{alnum:76}AZDO{alnum:4}"),
    Kind("azure-bus", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=r;SharedAccessKey=«{b64:43}=»", ADDRESS),
    Kind("azure-function", "https://f.azurewebsites.net/api/run?code=«{url:54}==»", ADDRESS),
    Kind("azure-openai", "{hex:32}", _named("azure openai key")),
    Kind("azure-logic", "https://prod-1.westus.logic.azure.com/workflows/{hex:32}/triggers/manual?sv=1.0&sig=«{url:43}»", ADDRESS),
    Kind("heroku", "HRKU-{alnum:58}"),
    Kind("heroku-uuid", "{uuid}", _named("heroku api key")),
    Kind("digitalocean-pat", "dop_v1_{hex:64}"),
    Kind("digitalocean-oauth", "doo_v1_{hex:64}"),
    Kind("digitalocean-refresh", "dor_v1_{hex:64}"),
    Kind("cloudflare-token", "{url:40}", _named("cloudflare api token")),
    Kind("cloudflare-origin", "v1.0-{hex:24}-{hex:146}"),
    Kind("hetzner", "{alnum:64}", _named("hcloud token")),
    Kind("linode", "{hex:64}", _named("linode token")),
    Kind("netlify", "nfp_{alnum:36}"),
    Kind("vercel", "{alnum:24}", _named("vercel token")),
    Kind("render", "rnd_{alnum:32}"),
    Kind("fly", "FlyV1 fm2_«{b64:120}»"),
    Kind("supabase-pat", "sbp_{hex:40}"),
    Kind("supabase-secret", "sb_secret_{url:31}"),
    Kind("planetscale-token", "pscale_tkn_{url:43}"),
    Kind("planetscale-password", "pscale_pw_{url:43}"),
    Kind("neon", "napi_{low:64}"),
    Kind("alibaba", "LTAI{alnum:20}"),
    Kind("tencent", "AKID{alnum:32}"),
    Kind("yandex", "AQVN{url:35}"),
    Kind("scaleway", "{uuid}", _named("scw secret key")),
    Kind("ibm", "{url:44}", _named("ibm api key")),
    # operations
    Kind("vault-service", "hvs.{url:90}"),
    Kind("vault-batch", "hvb.{url:138}"),
    Kind("vault-old", "s.{alnum:24}", ("VAULT_TOKEN={}", "export VAULT_TOKEN={}", "vault login {}", "X-Vault-Token: {}")),
    Kind("terraform-cloud", "{alnum:14}.atlasv1.{url:60}"),
    Kind("consul", "{uuid}", _named("consul http token")),
    Kind("pulumi", "pul-{hex:40}"),
    Kind("doppler-personal", "dp.pt.{alnum:43}"),
    Kind("doppler-service", "dp.st.prd.{alnum:43}"),
    Kind("doppler-cli", "dp.ct.{alnum:43}"),
    Kind("databricks", "dapi{hex:32}"),
    Kind("databricks-suffix", "dapi{hex:32}-2"),
    Kind("newrelic-user", "NRAK-{up:27}"),
    Kind("newrelic-insert", "NRII-{url:32}"),
    Kind("newrelic-license", "{hex:36}NRAL"),
    Kind("datadog-api", "{hex:32}", _named("datadog api key")),
    Kind("datadog-app", "{hex:40}", _named("dd application key", "dd app key")),
    Kind("grafana-service", "glsa_{alnum:32}_{hex:8}"),
    Kind("grafana-cloud", "glc_{b64:80}="),
    Kind("sentry-org", "sntrys_{json}_{b64:43}"),
    Kind("sentry-user", "sntryu_{hex:64}"),
    Kind("sentry-dsn", "https://«{hex:32}»@o123.ingest.sentry.io/456", ADDRESS),
    Kind("dynatrace", "dt0c01.{up:24}.{up:64}"),
    Kind("pagerduty", "u+{url:18}", _named("pagerduty api key")),
    Kind("honeycomb", "hcaik_{low:58}"),
    Kind("rollbar", "{hex:32}", _named("rollbar access token")),
    Kind("algolia", "{hex:32}", _named("algolia admin api key")),
    Kind("launchdarkly", "sdk-{uuid}"),
    Kind("prefect", "pnu_{low:36}"),
    Kind("infracost", "ico-{alnum:32}"),
    Kind("tailscale", "tskey-auth-{alnum:12}-{alnum:32}"),
    Kind("ngrok", "2{alnum:26}_{alnum:21}", _named("ngrok authtoken")),
    Kind("postman", "PMAK-{hex:24}-{hex:34}"),
    Kind("onepassword-service", "ops_{json}{url:60}"),
    # chat and post
    Kind("slack-bot", "xoxb-{digit:12}-{digit:12}-{alnum:24}"),
    Kind("slack-user", "xoxp-{digit:12}-{digit:12}-{digit:12}-{hex:32}"),
    Kind("slack-refresh", "xoxe-1-{alnum:146}"),
    Kind("slack-rotated", "xoxe.xoxp-1-{alnum:163}"),
    Kind("slack-app", "xapp-1-A{up:10}-{digit:13}-{hex:64}"),
    Kind("slack-webhook", "https://hooks.slack.com/services/T{up:8}/B{up:10}/«{alnum:24}»"),
    Kind("slack-workflow", "https://hooks.slack.com/workflows/T{up:8}/A{up:10}/{digit:18}/«{alnum:24}»"),
    Kind("teams-webhook", "https://acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/«{hex:32}»/{uuid}"),
    Kind("discord-bot", "MTE{alnum:21}.G{alnum:5}.{url:38}"),
    Kind("discord-webhook", "https://discord.com/api/webhooks/{digit:18}/«{url:68}»"),
    Kind("discord-mfa", "mfa.{url:84}"),
    Kind("telegram", "{digit:10}:AA{url:33}"),
    Kind("twilio-key", "SK{hex:32}"),
    Kind("twilio-auth", "{hex:32}", _named("twilio auth token")),
    Kind("sendgrid", "SG.{url:22}.{url:43}"),
    Kind("mailgun-key", "key-{hex:32}"),
    Kind("mailgun-new", "{hex:32}-{hex:8}-{hex:8}"),
    Kind("mailchimp", "{hex:32}-us14"),
    Kind("mandrill", "md-{url:22}"),
    Kind("brevo", "xkeysib-{hex:64}-{alnum:16}"),
    Kind("resend", "re_{alnum:8}_{alnum:24}"),
    Kind("postmark", "{uuid}", _named("postmark server token")),
    # money
    Kind("stripe-secret", "sk_live_{alnum:24}"),
    Kind("stripe-long", "sk_test_51{alnum:96}"),
    Kind("stripe-restricted", "rk_live_{alnum:24}"),
    Kind("stripe-webhook", "whsec_{alnum:32}"),
    Kind("square-access", "sq0atp-{url:22}"),
    Kind("square-secret", "sq0csp-{url:43}"),
    Kind("square-token", "EAAA{url:60}"),
    Kind("braintree", "access_token$production${low:16}${hex:32}"),
    Kind("shopify-access", "shpat_{hex:32}"),
    Kind("shopify-3f", "shpat_3f36{hex:28}"),
    Kind("shopify-secret", "shpss_{hex:32}"),
    Kind("shopify-custom", "shpca_{hex:32}"),
    Kind("plaid", "access-production-{uuid}"),
    Kind("razorpay", "rzp_live_{alnum:14}"),
    Kind("flutterwave", "FLWSECK-{hex:32}-X"),
    Kind("shippo", "shippo_live_{hex:40}"),
    Kind("easypost", "EZAK{alnum:54}"),
    Kind("duffel", "duffel_live_{url:43}"),
    Kind("paypal-secret", "E{url:79}", _named("paypal client secret")),
    # models
    Kind("openai-old", "sk-{alnum:20}T3BlbkFJ{alnum:20}"),
    Kind("openai-project", "sk-proj-{url:74}T3BlbkFJ{url:74}"),
    Kind("openai-service", "sk-svcacct-{url:74}T3BlbkFJ{url:74}"),
    Kind("anthropic", "sk-ant-api03-{url:93}AA"),
    Kind("anthropic-oauth", "sk-ant-oat01-{url:93}AA"),
    Kind("openrouter", "sk-or-v1-{hex:64}"),
    Kind("deepseek", "sk-{hex:32}"),
    Kind("huggingface", "hf_{alpha:34}"),
    Kind("huggingface-org", "api_org_{alpha:34}"),
    Kind("replicate", "r8_{alnum:37}"),
    Kind("groq", "gsk_{alnum:52}"),
    Kind("perplexity", "pplx-{alnum:48}"),
    Kind("xai", "xai-{alnum:80}"),
    Kind("nvidia", "nvapi-{url:64}"),
    Kind("fireworks", "fw_{alnum:24}"),
    Kind("elevenlabs", "sk_{hex:48}"),
    Kind("tavily", "tvly-dev-{alnum:32}"),
    Kind("voyage", "pa-{url:43}"),
    Kind("langsmith", "lsv2_pt_{hex:32}_{hex:10}"),
    Kind("langfuse", "sk-lf-{uuid}"),
    Kind("pinecone", "pcsk_{alnum:5}_{alnum:63}"),
    Kind("cerebras", "csk-{low:48}"),
    Kind("together", "tgp_v1_{url:43}"),
    Kind("cohere", "{alnum:40}", _named("cohere api key")),
    Kind("mistral", "{alnum:32}", _named("mistral api key")),
    Kind("wandb", "{hex:40}", _named("wandb api key")),
    # work and people
    Kind("figma", "figd_{url:40}"),
    Kind("notion-new", "ntn_{alnum:46}"),
    Kind("notion-old", "secret_{alnum:43}"),
    Kind("airtable", "pat{alnum:14}.{hex:64}"),
    Kind("linear", "lin_api_{alnum:40}"),
    Kind("asana", "2/{digit:16}/{digit:16}:{hex:32}"),
    Kind("trello", "ATTA{hex:64}"),
    Kind("dropbox", "sl.{url:135}"),
    Kind("contentful", "CFPAT-{url:43}"),
    Kind("hubspot", "pat-na1-{uuid}"),
    Kind("typeform", "tfp_{url:44}"),
    Kind("readme-io", "rdme_{low:70}"),
    Kind("mapbox", "sk.{json}.{url:22}"),
    Kind("facebook", "EAA{alnum:180}"),
    Kind("twitter-bearer", "AAAAAAAAAAAAAAAAAAAAA{alnum:80}"),
    Kind("twitch", "oauth:{low:30}"),
    Kind("spotify", "{hex:32}", _named("spotify client secret")),
    # keys and headers
    Kind("jwt", "{json}.{json}.{url:43}"),
    Kind("rsa-key", _block("RSA PRIVATE KEY"), ALONE),
    Kind("ec-key", _block("EC PRIVATE KEY"), ALONE),
    Kind("dsa-key", _block("DSA PRIVATE KEY"), ALONE),
    Kind("openssh-key", _block("OPENSSH PRIVATE KEY"), ALONE),
    Kind("pkcs8-key", _block("PRIVATE KEY"), ALONE),
    Kind("encrypted-key", _block("ENCRYPTED PRIVATE KEY"), ALONE),
    Kind("pgp-key", _block("PGP PRIVATE KEY BLOCK", head="Version: GnuPG v2\n\n"), ALONE),
    Kind("service-account", '{"type": "service_account", "private_key": "' + _block("PRIVATE KEY").replace("\n", "\\n") + '"}', ALONE),
    Kind("ssh2-key", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n«{lines:5}»\n---- END SSH2 ENCRYPTED PRIVATE KEY ----", ALONE),
    Kind("putty-key", "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 6\n«{lines:5}»\nPrivate-MAC: {hex:64}", ALONE),
    Kind("age-key", "AGE-SECRET-KEY-1{bech:58}"),
    Kind("wireguard", "[Interface]\nPrivateKey = «{b64:43}=»\nAddress = 10.0.0.2/32", ALONE),
    Kind("bitcoin-wif", "{wif}"),
    Kind("xprv", "{xprv}"),
    Kind("ethereum-key", "0x{hex:64}", _named("private key")),
    Kind("otpauth", "otpauth://totp/acme:bob?secret=«{b32:32}»&issuer=acme", ADDRESS),
    Kind("totp-secret", "{b32:32}", _named("totp secret")),
    Kind("bearer", "Authorization: Bearer «{url:40}»", ("{}", "curl -H '{}' https://x.org", "-H \"{}\"", "> {}")),
    Kind("basic-header", "Authorization: Basic «{basic}»", ("{}", "curl -H '{}' https://x.org", "-H \"{}\"", "> {}")),
    Kind("api-header", "X-Api-Key: «{alnum:32}»", ("{}", "curl -H '{}' https://x.org", "-H \"{}\"", "> {}")),
    Kind("cookie", "Cookie: sessionid=«{alnum:32}»; theme=dark", ("{}", "curl -H '{}' https://x.org", "> {}")),
    Kind("set-cookie", "Set-Cookie: connect.sid=«s%3A{alnum:32}.{alnum:43}»; Path=/; HttpOnly", ("{}", "< {}")),
    Kind("url-token", "https://x.org/feed?access_token=«{alnum:32}»&page=1", ADDRESS),
    # addresses and commands with a password in them
    Kind("postgres-url", "postgres://app:«{alnum:14}»@db.internal:5432/app", ADDRESS),
    Kind("mysql-url", "mysql://root:«{word}{digit:3}»@10.0.0.4/shop", ADDRESS),
    Kind("mongodb-url", "mongodb+srv://app:«{alnum:16}»@c0.ab1cd.mongodb.net/x", ADDRESS),
    Kind("redis-url", "redis://:«{alnum:20}»@cache:6379/0", ADDRESS),
    Kind("amqp-url", "amqp://svc:«{Title}»@mq:5672/".replace("{Title}", "{title}{digit:2}!"), ADDRESS),
    Kind("ftp-url", "ftp://bob:«{title}-{title}»@ftp.example.com/in", ADDRESS),
    Kind("https-url", "https://bob:«{alnum:12}»@git.example.com/r.git", ADDRESS),
    Kind("ado-net", "Server=db;Database=app;User Id=sa;Password=«{title}{digit:3}!»;Encrypt=true", ADDRESS),
    Kind("odbc", "Driver={x};Uid=app;Pwd=«{alnum:14}»;".replace("{x}", "SQL Server"), ADDRESS),
    Kind("jdbc", "jdbc:mysql://db/app?user=root&password=«{alnum:12}»", ADDRESS),
    Kind("mysql-p", "mysql -u root -p«{title}{digit:3}» shop", ("{}", "$ {}", "run `{}` first")),
    Kind("mysqldump", "mysqldump -uroot -p'«{alnum:10}»' shop > x.sql", ("{}", "$ {}", "run `{}` first")),
    Kind("mysql-long", "mysql --user=root --password=«{mixed:10}» shop", ("{}", "$ {}", "run `{}` first")),
    Kind("curl-u", "curl -u bob:«{title}{digit:2}» https://x.org", ("{}", "$ {}", "run `{}` first")),
    Kind("curl-user", "curl --user 'bob:«{mixed:10}»' https://x.org", ("{}", "$ {}", "run `{}` first")),
    Kind("sshpass", "sshpass -p «{title}{digit:2}!» ssh bob@host", ("{}", "$ {}", "run `{}` first")),
    Kind("sshpass-quoted", "sshpass -p '«{mixed:10}»' ssh bob@host", ("{}", "$ {}", "run `{}` first")),
    Kind("docker-login", "docker login -u bob -p «{title}{digit:2}» r.example.com", ("{}", "$ {}", "run `{}` first")),
    Kind("pgpassword", "PGPASSWORD=«{mixed:10}» psql -h db", ("{}", "$ {}", "run `{}` first")),
    Kind("redis-a", "redis-cli -h cache -a «{alnum:14}» ping", ("{}", "$ {}", "run `{}` first")),
    Kind("openssl-pass", "openssl rsa -in k.pem -passin pass:«{alnum:10}»", ("{}", "$ {}", "run `{}` first")),
    Kind("sudo-s", "echo «{title}{digit:2}» | sudo -S apt update", ("{}", "$ {}", "run `{}` first")),
    Kind("netrc", "machine x.org login bob password «{mixed:10}»", ("{}", "$ cat ~/.netrc\n{}")),
    Kind("net-use", "net use Z: \\\\srv\\x /user:bob «{title}{digit:3}»", ("{}", "> {}")),
    Kind("identified-by", "CREATE USER bob IDENTIFIED BY '«{mixed:8}»'", ("{}", "mysql> {};")),
    Kind("sql-password", "ALTER ROLE bob WITH PASSWORD '«{mixed:8}»'", ("{}", "psql> {};")),
    # passwords as people say them
    Kind("password-word-digits", "{title}{digit:2}", SAID),
    Kind("password-ends-dollar", "{title}{digit:2}$", SAID),
    Kind("password-starts-dollar", "${title}{digit:2}", SAID),
    Kind("password-starts-hash", "#{title}{digit:2}", SAID),
    Kind("password-starts-star", "*{title}{digit:2}", SAID),
    Kind("password-starts-percent", "%{title}{digit:2}", SAID),
    Kind("password-starts-bracket", "[{title}{digit:2}", SAID),
    Kind("password-ends-bracket", "{title}{digit:2}]", SAID),
    Kind("password-ends-brace", "{title}{digit:2}@{close}".replace("{close}", "}"), SAID),
    Kind("password-dotted", "{title}.{title}{digit:2}", SAID),
    Kind("password-dotted-words", "{word}.{word}.{word}.{digit:1}", SAID),
    Kind("password-hyphens", "My-{title}-{digit:2}", SAID),
    Kind("password-hyphen-words", "{word}-{word}-{word}-{word}", SAID),
    Kind("password-slash", "/{alnum:11}", SAID),
    Kind("password-letters", "{mixed:12}", SAID),
    Kind("password-leet", "{title}0n3!{digit:1}", SAID),
    Kind("password-generated", "{alnum:6}{any:8}{alnum:2}", SAID),
    Kind("password-underscore", "{title}_{title}_{digit:4}", SAID),
    Kind("password-word", "{word}{word}", SAID),
    Kind("passphrase-spaced", "{word} {word} {word} {word} {word}", _QUOTED),
    # numbers of a person
    Kind("card-visa", "{card:visa}", _CARD),
    Kind("card-visa-spaced", "{card:visa }", _CARD),
    Kind("card-mastercard-dashed", "{card:mastercard-}", _CARD),
    Kind("card-amex", "{card:amex }", _CARD),
    Kind("card-discover", "{card:discover}", _CARD),
    Kind("cvv", "{digit:3}", _CVV),
    Kind("pin", "{digit:4}", _PIN),
    Kind("iban-de", "{iban:DE}", PERSONAL),
    Kind("iban-de-spaced", "{iban:DE }", PERSONAL),
    Kind("iban-gb", "{iban:GB }", PERSONAL),
    Kind("iban-fr", "{iban:FR}", PERSONAL),
    Kind("iban-nl", "{iban:NL }", PERSONAL),
    Kind("ssn", "{ssn}", _SSN),
    Kind("dni", "{dni}", ("mi DNI es {}", "DNI: {}", "NIF {}")),
    Kind("cpf", "{cpf}", ("meu CPF é {}", "CPF: {}", "{}")),
    Kind("insee", "{insee}", PERSONAL),
    Kind("codice-fiscale", "{fiscal}", PERSONAL),
    Kind("seed-12", "{seed:12}", ("my seed phrase is {}", "{}", "wallet backup:\n{}", "here it is: {}.")),
    Kind("seed-15", "{seed:15}", ("my seed phrase is {}", "{}", "wallet backup:\n{}", "here it is: {}.")),
    Kind("seed-24", "{seed:24}", ("my seed phrase is {}", "{}", "wallet backup:\n{}", "here it is: {}.")),
    *(Kind(*row) for row in SAID_OF_PERSONS),
)  # fmt: skip
