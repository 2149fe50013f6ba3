"""What a dbt project says that its templates need: variables, the real names of its sources, its own macros."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import yaml

from contracts.auditing.stubs import Environment
from contracts.readers import leads_out
from contracts.yaml_text import LOADER

MOST_BYTES = 1_000_000  # bytes of a file of macros
TAGS = re.compile(r"\{\{|\{%|\{#")


def is_template(source: str) -> bool:
    """Whether there are Jinja's tags in a file."""
    return TAGS.search(source) is not None


def settings_of(project: Path) -> dict[str, Any]:
    """What dbt_project.yml says, or nothing."""
    try:
        said = yaml.safe_load((project / "dbt_project.yml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def variables_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Its variables: those for all, and those for the project itself."""
    said = settings.get("vars")
    said = said if isinstance(said, dict) else {}
    own = said.get(settings.get("name"))
    return {str(name): value for name, value in said.items()} | (own if isinstance(own, dict) else {})


def sources_of(project: Path, settings: dict[str, Any]) -> dict[tuple[str, str], tuple[str, str]]:
    """(source, table) as models name them -> (schema, table) as the warehouse does, where a file of YAML says so."""
    folders = settings.get("model-paths")
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for folder in folders if isinstance(folders, list) else ["models"]:
        if not (project / str(folder)).resolve().is_relative_to(project.resolve()):
            continue
        for place, _, names in os.walk(project / str(folder)):
            for path in (Path(place, name) for name in sorted(names) if name.lower().endswith((".yml", ".yaml"))):
                if leads_out(path, project):
                    continue
                for source in listed(read_yaml(path).get("sources")):
                    for table in listed(source.get("tables")):
                        name, own = str(source.get("name")), str(table.get("name"))
                        schema, real = str(source.get("schema") or name), str(table.get("identifier") or own)
                        found[name, own] = name if is_template(schema) else schema, own if is_template(real) else real
    return found


def read_yaml(path: Path) -> dict[str, Any]:
    """What a file of sources says, or nothing."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return {}
        text = path.read_text(encoding="utf-8-sig")
        said = yaml.load(text, Loader=LOADER) if "sources:" in text else None
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def listed(said: Any) -> list[dict[str, Any]]:
    """The mappings of a list, if it is one."""
    return [one for one in said if isinstance(one, dict)] if isinstance(said, list) else []


def add_macros(made: Environment, project: Path, settings: dict[str, Any]) -> None:
    """Let templates call the project's own macros; one that fails is unknown, as those of other packages are."""
    folders = settings.get("macro-paths")
    for folder in folders if isinstance(folders, list) else ["macros"]:
        if not (project / str(folder)).resolve().is_relative_to(project.resolve()):
            continue
        for place, _, names in os.walk(project / str(folder)):
            for path in (Path(place, name) for name in sorted(names) if name.lower().endswith(".sql")):
                try:
                    if not path.is_file() or leads_out(path, project) or path.stat().st_size > MOST_BYTES:
                        continue
                    module = made.from_string(path.read_text(encoding="utf-8-sig")).module
                except Exception:
                    continue
                for name, macro in vars(module).items():
                    if not name.startswith("_") and name not in made.globals:
                        made.globals[name] = macro
