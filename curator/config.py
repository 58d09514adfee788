"""The settings: one TOML file, each value overridable as `CURATOR_<SECTION>__<NAME>`.

The string under a field is what `curator config --explain` prints.
"""

import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal

import orjson
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from curator import settings_file, text_files
from curator.display import truncate
from curator.errors import ConfigError
from curator.paths import config_file
from curator.secrets.scan import known_kinds, reread_settings
from curator.settings_file import present_name, present_variables, unknown, wrong_value
from curator.ui_defaults import Keymap, Layout, Looks

__all__ = ["Settings", "explained", "overridden", "save", "settings"]

_DEFAULT = Looks()


def names_of(value: object) -> object:
    """Return the names of a text, with commas between them or as JSON, as variables and the command line give them."""
    if not isinstance(value, str):
        return value
    named = orjson.loads(value) if value.lstrip().startswith("[") else value.split(",")
    return [name for name in (str(name).strip() for name in named) if name]


_Names = Annotated[list[str], NoDecode, BeforeValidator(names_of)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Distil(_Section):
    """Distilling memories from logs."""

    enabled: bool = True
    """Distil memories when a log is imported."""
    surprise: float = Field(default=0.4, ge=0, le=1)
    """Refuse statements with less surprise than this (0 to 1); above 0.4, unspecific ones too. Requests are kept."""
    agent_messages: int = Field(default=25, ge=0)
    """Models skip coding sessions with fewer messages than this; rules read all."""
    confidence: float = Field(default=0.5, ge=0, le=1)
    """Refuse candidates with less confidence than this (0 to 1); 0.7 loses 1 statement in 8."""
    per_exchange: int = Field(default=5, ge=1)
    """At most this many memories from one message; one more for every 120 characters of your own words, and for each
    statement in a list about yourself, up to 30."""


class Embed(_Section):
    """Vectors for search by meaning."""

    provider: Literal["minilm", "ollama", "hashing"] = "minilm"
    """minilm: built in, by meaning (83 MB, downloaded once); ollama: your own model; hashing: by words only."""
    model: str = "nomic-embed-text"
    """The embedding model to use with the provider ollama."""


class Classify(_Section):
    """The built-in classifiers of statements and of pairs of memories."""

    enabled: bool = True
    """Use them (404 MB, downloaded once), unless embed.provider is another than minilm. Off: words and rules decide."""


class Ollama(_Section):
    """The local model of Ollama or another server, which distils, judges conflicts, drafts merges and scores recall."""

    host: str = ""
    """The address of the server. Ending in /v1: LM Studio, llama.cpp or vLLM. Empty: Ollama, at OLLAMA_HOST or here."""
    model: str = ""
    """The chat model; `curator models` lists the installed ones. Empty: rules only."""
    embed_host: str = ""
    """The address of the Ollama server for embeddings, if different."""
    allow_host: str = ""
    """The only other machine that your text may be sent to, in the form of `host`. Empty: none."""
    allow_cloud: str = ""
    """Cloud models that your text may be sent to, separated by commas. Empty: none."""
    context: int = Field(default=8192, ge=2048)
    """Context size of the chat model in tokens, unless the server's is smaller; more needs more memory."""
    keep_alive: str = "10m"
    """How long Ollama keeps the model loaded after a call, e.g. 10m."""
    first_byte: float = Field(default=300, gt=0)
    """Seconds to wait for the first word; loading a model on a laptop can take minutes."""
    between: float = Field(default=60, gt=0)
    """Seconds to wait for each further word."""
    total: float = Field(default=600, gt=0)
    """Seconds that one call may take after its first word."""


class Sweep(_Section):
    """Background work, with one section for each sweep."""

    enabled: bool = True
    """Run this sweep."""
    interval: float = Field(default=12, gt=0)
    """Hours between two runs."""
    batch: int = Field(default=200, ge=1)
    """At most this many items in one run."""
    # Each item is committed by itself and any run can be stopped; a model on a laptop takes up to a minute for a
    # conversation: with two minutes in every quarter of an hour a year of logs would take eight times as long.
    limit: float = Field(default=120, gt=0)
    """Seconds that one run may take; the next run continues."""
    window: str = Field(default="", pattern=r"^$|^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$")
    """The hours in which it may run, e.g. 22:00-07:00. Empty: any time."""


class Conflicts(_Section):
    """When two memories are shown as duplicates or as a conflict, or merged."""

    conflict: float = Field(default=0.6, ge=0, le=1)
    """Minimum score (0 to 1) of a contradiction or update to show it as a conflict."""
    duplicate: float = Field(default=0.8, ge=0, le=1)
    """Minimum score (0 to 1) of two memories to show them as duplicates."""
    unsure: float = Field(default=0.6, ge=0, le=1)
    """Minimum similarity of memories that the rules cannot judge, to ask the chat model."""
    merge: bool = True
    """Merge memories with the same or nearly the same words automatically; never validated or pinned ones."""
    merge_cosine: float = Field(default=0.95, ge=0.9, le=1)
    """Minimum cosine of two texts to merge automatically, if no number, name, date or negation differs."""


class Lifecycle(_Section):
    """Limits on the age and number of memories."""

    age: int = Field(default=0, ge=0)
    """Forget memories older than this many days and not recalled for as long. 0: no limit."""
    count: int = Field(default=0, ge=0)
    """Keep at most this many memories, and forget the least valuable. 0: no limit."""
    retention: int = Field(default=365, ge=1)
    """`curator outdated` lists memories forgotten, and logs imported, more than this many days ago."""


class Backups(_Section):
    """Automatic backups, once a day (sweep_backup), in the folder `backups` of the store."""

    keep: int = Field(default=3, ge=1)
    """Number of backups to keep; the oldest are deleted."""


class Index(_Section):
    """The search index; see docs/scale.md."""

    uri: str = ""
    """Location of its tables, unencrypted: a prefix on object storage, e.g. s3://bucket/prefix. Empty: in the store."""

    @field_validator("uri")
    @classmethod
    def _is_prefix(cls, uri: str) -> str:
        from store.object_storage import is_url

        if uri and not is_url(uri):
            raise ValueError(
                f"takes a prefix on object storage like s3://bucket/prefix, or nothing, not {truncate(uri, 60)}"
            )
        return uri


class Snapshot(_Section):
    """A copy of the tables of `curator sql` for other machines, unencrypted; see docs/scale.md."""

    target: str = ""
    """Target of sweep_snapshot, e.g. s3://bucket/prefix or folder:/PATH. Empty: none."""

    @field_validator("target")
    @classmethod
    def _is_target(cls, target: str) -> str:
        from curator.targets import is_target

        if target and not is_target(target):
            raise ValueError(f"takes s3://bucket/prefix or folder:/PATH, or nothing, not {truncate(target, 60)}")
        return target


class Recall(_Section):
    """Search and recall."""

    limit: int = Field(default=10, ge=1, le=200)
    """Number of memories that a search shows."""
    budget: int = Field(default=1200, ge=50)
    """Maximum size of a recall block in tokens."""
    standing: float = Field(default=0.4, ge=0, le=1)
    """Share of the budget (0 to 1) for memories that are always given, safety first; more if there is room."""
    tokenizer: str = ""
    """The tokenizer.json of your model, to count tokens exactly. Empty: an estimate on the high side."""
    decay: bool = True
    """Rank older memories lower, with a half-life for each kind; identity never decays."""
    include_global: bool = True
    """With --project or --session, include global memories."""
    require_validation: bool = False
    """Recall only validated memories."""
    preset: Literal["curator", "yocore", "hybrid", "lynkr", "yak", "yak-additive", "yak-log"] = "curator"
    """The ranking; curator finds the most, the others rank like the systems they are named after."""
    threshold: float = Field(default=0.7, ge=-1, le=1)
    """Minimum cosine of a memory for the yak presets."""


class Serve(_Section):
    """The server for assistants; see docs/assistants.md and docs/http.md."""

    tools: Literal["few", "full"] = "few"
    """MCP tools. few: recall, search, propose; full adds context, stats, forget, for assistants without resources."""
    import_sessions: bool = True
    """Import a session of a connected assistant when it ends or is compacted."""
    session_recaps: bool = True
    """Give an assistant a recap of its session after a compaction, and of the project's last one at the start."""
    http: bool = False
    """Serve HTTP too, as `curator serve --http` does."""
    host: str = "127.0.0.1"
    """The address to listen on. One that other machines can reach needs a key and names in `hosts`."""
    port: int = Field(default=19420, ge=0, le=65535)
    """The port to listen on. 0: any free one, shown by `curator serve --status`."""
    hosts: _Names = []
    """Additional host names of the server, like ["memory.example"]; others are refused."""
    origins: _Names = []
    """Web pages that may send requests from a browser, like ["http://localhost:3000"]. Empty: none."""

    @field_validator("origins")
    @classmethod
    def _origins(cls, value: list[str]) -> list[str]:
        """Accept scheme and host only: a browser sends no more, and a star would open the server to every page."""
        for origin in value:
            if not re.fullmatch(r"https?://[^\s/*]+", origin):
                raise ValueError(f'"{origin}" is not an origin; write it without a path, like http://localhost:3000')
        return value


class Secrets(_Section):
    """Secrets that are redacted before anything is stored."""

    off: Annotated[_Names, AfterValidator(known_kinds)] = []
    """Kinds of secrets that are not redacted, like ["iban", "pin"]; docs/privacy.md lists all kinds."""


class Look(_Section):
    """The look of the app."""

    theme: str = _DEFAULT.theme
    """The colour theme: built in, or your own file in the folder themes beside the settings file."""
    keymap: Keymap = _DEFAULT.keymap
    """vim: letters; plain: function keys, symbols and arrows."""
    layout: Layout = _DEFAULT.layout
    """Position of the details: columns (beside the list), rows (below it), list (on enter), or auto (by width)."""
    mouse: bool = _DEFAULT.mouse
    """Use the mouse in the app; if false, the terminal selects text with it."""


class Settings(BaseSettings):
    """All settings."""

    model_config = SettingsConfigDict(
        env_prefix="CURATOR_",
        env_nested_delimiter="__",
        extra="ignore",
        use_attribute_docstrings=True,
        nested_model_default_partial_update=True,  # [sweep_watch] with one line keeps its other defaults
    )

    distil: Distil = Distil()
    embed: Embed = Embed()
    classify: Classify = Classify()
    ollama: Ollama = Ollama()
    sweep_embed: Sweep = Sweep(interval=12, batch=100_000)
    sweep_distil: Sweep = Sweep(interval=0.25, batch=1000, limit=3600)
    sweep_compare: Sweep = Sweep(interval=0.25, batch=100_000, limit=600)
    sweep_judge: Sweep = Sweep(interval=0.25, batch=1000, limit=3600)
    sweep_warmth: Sweep = Sweep(interval=6)
    sweep_tidy: Sweep = Sweep(interval=6, batch=500)
    sweep_backup: Sweep = Sweep(interval=24, batch=1)
    sweep_sync: Sweep = Sweep(interval=0.25, batch=1)
    sweep_snapshot: Sweep = Sweep(interval=6, batch=1)
    sweep_watch: Sweep = Sweep(enabled=False, interval=0.05)
    conflicts: Conflicts = Conflicts()
    lifecycle: Lifecycle = Lifecycle()
    backups: Backups = Backups()
    index: Index = Index()
    snapshot: Snapshot = Snapshot()
    recall: Recall = Recall()
    serve: Serve = Serve()
    secrets: Secrets = Secrets()
    look: Look = Look()
    keys: dict[str, str | list[str]] = {}
    """Your own keys: an action name with its key, a list of keys, or "" for none."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment before file; nothing else."""
        return _Variables(settings_cls), InitSettingsSource(settings_cls, settings_file.present(config_file()))


class _Variables(EnvSettingsSource):
    """Environment variables, those of former settings too."""

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return present_variables(super()._load_env_vars())


@cache
def settings() -> Settings:
    """Return the settings in force. Raises ConfigError."""
    file = config_file()
    for section in settings_file.present(file):
        if section not in Settings.model_fields:
            raise ConfigError(f"{file}: {unknown(f'section [{section}]', section, Settings.model_fields)}")
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        loc = [str(part) for part in first["loc"]]
        name, variable = ".".join(loc), overridden(".".join(loc[:2]))
        if loc[0] == "keys":
            why = f'setting {".".join(loc[:2])}: it takes a key, a list of keys, or "" for none'
        else:
            why = _unknown(name) if first["type"] == "extra_forbidden" else wrong_value(name, first)
        raise ConfigError(f"{why} (in {f'the variable {variable}' if variable else file})") from error
    except SettingsError as error:
        section = next(name for name in Settings.model_fields if f'"{name}"' in str(error))
        raise ConfigError(
            f"the variable {overridden(section)} is not a JSON object; "
            f"set one value with CURATOR_{section.upper()}__NAME"
        ) from error


def _sections() -> dict[str, type[BaseModel]]:
    """Return the sections whose names are fixed; [keys] has the person's own."""
    kinds = {name: field.annotation for name, field in Settings.model_fields.items()}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


def _unknown(name: str) -> str:
    names = [f"{section}.{key}" for section, kind in _sections().items() for key in kind.model_fields]
    return unknown(f"setting {name}", name, [*names, "keys.ACTION"])


def explained() -> list[tuple[str, str, str]]:
    """Return every setting as (section.name, value in force, explanation); all of [keys] as one."""
    present = settings()
    rows = [
        (f"{section}.{name}", str(getattr(getattr(present, section), name)), field.description or "")
        for section, kind in _sections().items()
        for name, field in kind.model_fields.items()
    ]
    keys = (f"{action}={_in_words(key)}" for action, key in present.keys.items())
    return [*rows, ("keys", ", ".join(keys), Settings.model_fields["keys"].description or "")]


def explained_as(name: str) -> tuple[str, str]:
    """Return the value in force and the explanation of a setting (`look.theme`, `keys.quit`). Raises ConfigError."""
    rows = {setting: (value, text) for setting, value, text in explained()}
    rows |= {f"keys.{action}": (_in_words(key), rows["keys"][1]) for action, key in settings().keys.items()}
    named = present_name(name)
    if named not in rows:
        raise ConfigError(_unknown(named))
    return rows[named]


def _in_words(key: str | list[str]) -> str:
    return key if isinstance(key, str) else " ".join(key)


def overridden(name: str) -> str | None:
    """Return the environment variable that a setting (`look.theme`) is taken from, if one is there."""
    section, _, key = name.partition(".")
    whole, own = f"CURATOR_{section}".upper(), f"CURATOR_{section}__{key}".upper()
    for variable, value in os.environ.items():
        present = next(iter(present_variables({variable: value}))).upper()
        if present == own or present.startswith(f"{own}__") or (present == whole and (not key or f'"{key}"' in value)):
            return variable
    return None


def save(name: str, value: str | bool | int | float) -> None:
    """Write one setting (`look.theme`) into the settings file, which is made if there is none.

    All else in the file stays as it is, comments too. Raises ConfigError for a setting or value that there is not, and
    for a file that cannot be read or written.
    """
    section, _, key = present_name(name).partition(".")
    checked = _checked(section, key, value)
    named = config_file()
    with text_files.lock(named):
        file = named.resolve()  # a link to a file kept elsewhere stays one
        text = text_files.read(file)
        wanted = settings_file.parse(named, text)
        part = wanted.setdefault(section, {})
        if not isinstance(part, dict) or isinstance(part.get(key), dict):
            raise ConfigError(f"{named}: {section} is not a table of values; write it as [{section}] with {key} below")
        part[key] = checked
        written = settings_file.with_value(text, section, key, checked)
        if written is None or settings_file.parse(named, written) != wanted:
            raise ConfigError(
                f"{named}: {name} cannot be changed without harm to the rest; write {name} = {value} yourself"
            )
        text_files.replace(file, written, named)
    settings.cache_clear()
    reread_settings()


def _checked(section: str, key: str, value: str | bool | int | float) -> settings_file.Value:
    """Return the value as the setting's type. Raises ConfigError."""
    if section == "keys" and key and isinstance(value, str):
        return value
    kind = _sections().get(section)
    if kind is None or key not in kind.model_fields:
        raise ConfigError(_unknown(f"{section}.{key}" if key else section))
    try:
        found: settings_file.Value = getattr(kind.model_validate({key: value}), key)
    except ValidationError as error:
        raise ConfigError(wrong_value(f"{section}.{key}", error.errors()[0])) from error
    return found
