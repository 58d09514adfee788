"""The settings: one TOML file, each value overridable as `CURATOR_<SECTION>__<NAME>`.

The string under a field is what `curator config --explain` prints.
"""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from curator.paths import config_file


class ConfigError(Exception):
    """A setting that cannot be used; the text names file or variable, setting and remedy."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Distil(_Section):
    """From a log to memories."""

    enabled: bool = True
    """Distil memories when a log is imported."""
    surprise: float = Field(default=0.3, ge=0, le=1)
    """How surprising a statement must be to be kept: 0.1-0.2 keeps more, 0.4-0.5 only what is new."""
    agent_messages: int = Field(default=25, ge=0)
    """A coding agent's session with fewer messages is not distilled."""
    per_exchange: int = Field(default=5, ge=1)
    """At most this many memories from one message."""


class Embed(_Section):
    """From a text to a vector."""

    provider: Literal["minilm", "hashing"] = "minilm"
    """minilm understands meaning (83 MB, fetched once); hashing compares letters and words only."""


class Recall(_Section):
    """What a model is given."""

    limit: int = Field(default=10, ge=1, le=200)
    """How many memories a search shows."""
    budget: int = Field(default=800, ge=50)
    """The longest a recall block may be, in tokens."""
    require_validation: bool = False
    """Give models validated memories only."""


class Look(_Section):
    """The app."""

    theme: str = "curator-dark"
    """The colour theme."""


class Settings(BaseSettings):
    """Everything a person can set."""

    model_config = SettingsConfigDict(
        env_prefix="CURATOR_", env_nested_delimiter="__", extra="ignore", use_attribute_docstrings=True
    )

    distil: Distil = Distil()
    embed: Embed = Embed()
    recall: Recall = Recall()
    look: Look = Look()

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
        return env_settings, TomlConfigSettingsSource(settings_cls, config_file())


@cache
def settings() -> Settings:
    """The settings in force. Raises ConfigError."""
    import tomllib

    file = config_file()
    try:
        if file.is_file():
            _refuse_unknown(file, tomllib.loads(file.read_text(encoding="utf-8")))
        return Settings()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"setting {name}: {first['msg']} (in {file} or the environment)") from error


def _refuse_unknown(file: Path, content: dict[str, object]) -> None:
    for section in content:
        if section not in Settings.model_fields:
            known = ", ".join(Settings.model_fields)
            raise ConfigError(f"{file}: there is no section [{section}]; there are {known}")


def explained() -> list[tuple[str, str, str]]:
    """Every setting as (section.name, value in force, explanation)."""
    now = settings()
    rows = []
    for section in Settings.model_fields:
        part = getattr(now, section)
        for name, field in type(part).model_fields.items():
            rows.append((f"{section}.{name}", str(getattr(part, name)), field.description or ""))
    return rows
