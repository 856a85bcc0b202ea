"""`figf/rules.toml` and the code tell the same story: one rule, one home, named by a test."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAP: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    (ROOT / "figf/rules.toml").read_text(encoding="utf-8")
)
RULES = {rule: entry for group in MAP.values() for rule, entry in group.items()}
APPS = {"figf", "tournaments", "rankings", "pbem", "discipline"}
LATER_AT_MOST = 352  # a ratchet: lower it when rules find their home, never raise it


def docstring_ids() -> dict[str, list[str]]:
    """Every id that opens a docstring of the pure code, with the module of each such docstring.

    `C-01, C-05 — sentence` opens C-01 and C-05. The engine's own clauses (`1830/S-14`) are not
    in the map. A first line that starts like an id and has no dash counts as one unknown id.
    """
    found: dict[str, list[str]] = {}
    for path in [*ROOT.glob("*/rules/**/*.py"), *ROOT.glob("pbem/engine/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                opening = (ast.get_docstring(node) or "").partition("\n")[0].partition(" — ")[0]
                if re.match(r"(\w+/)?[A-Z]+-\d", opening):
                    for rule in opening.split(", "):
                        found.setdefault(rule, []).append(path.relative_to(ROOT).as_posix())
    return {rule: modules for rule, modules in found.items() if "/" not in rule}


def test_every_rule_is_in_the_map_once_and_in_order() -> None:
    sizes = {name: len(group) for name, group in MAP.items()}
    assert sizes.pop("OTH") + sizes.pop("RIS") == 113
    assert sum(sizes.values()) == 314
    for name, group in MAP.items():
        assert [rule for rule in group if not re.fullmatch(rf"{name}-\d\d", rule)] == []
        assert list(group) == sorted(group)


def test_every_rule_has_a_title_and_one_status() -> None:
    for rule, entry in RULES.items():
        statuses = entry.keys() - {"title"}
        assert len(statuses) == 1, rule
        assert statuses <= {"home", "page", "human", "later"}, rule
        assert entry.get("title"), rule
        assert entry.get("human", True) is True, rule
        assert entry.get("later", "figf") in APPS, rule


def test_every_home_opens_one_docstring_and_no_other_docstring_claims_a_rule() -> None:
    homes = {rule: [entry["home"]] for rule, entry in RULES.items() if "home" in entry}
    assert docstring_ids() == homes


def test_every_page_exists() -> None:
    pages = {entry["page"] for entry in RULES.values() if "page" in entry}
    assert [page for page in sorted(pages) if not (ROOT / page).is_file()] == []


def test_every_home_and_page_is_named_by_a_test() -> None:
    named: set[str] = set()
    for path in set(ROOT.glob("*/tests/test_*.py")) - {Path(__file__).resolve()}:
        named.update(re.findall(r"(?<![\w/])[A-Z]+-\d\d\b", path.read_text(encoding="utf-8")))
    built = {rule for rule, entry in RULES.items() if "home" in entry or "page" in entry}
    assert sorted(built - named) == []


def test_the_rules_still_to_build_only_get_fewer(capsys: pytest.CaptureFixture[str]) -> None:
    later = sum("later" in entry for entry in RULES.values())
    with capsys.disabled():
        print(f"\nrules.toml: {later} rules still to build (at most {LATER_AT_MOST})")
    assert later <= LATER_AT_MOST


def test_every_article_that_the_site_links_is_on_the_page_of_the_regulation() -> None:
    page = (ROOT / "templates/regulation.html").read_text(encoding="utf-8")
    linked: set[str] = set()
    for path in ROOT.glob("templates/**/*.html"):
        linked.update(re.findall(r'\{% article "([A-Z]+-\d\d)"', path.read_text(encoding="utf-8")))
    for app in sorted(APPS):
        for path in (ROOT / app).rglob("*.py"):
            if path.parent.name not in {"tests", "migrations"}:
                text = path.read_text(encoding="utf-8")
                linked.update(re.findall(r'"([A-Z]+-\d\d)"', text))
    assert sorted(rule for rule in linked if f'id="{rule}"' not in page) == []
