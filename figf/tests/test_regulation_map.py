"""`figf/rules.toml` and the code tell the same story: one rule, one home, named by a test."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from figf.regulation import CHAPTERS

ROOT = Path(__file__).resolve().parents[2]
MAP: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    (ROOT / "figf/rules.toml").read_text(encoding="utf-8")
)
RULES = {rule: entry for group in MAP.values() for rule, entry in group.items()}
APPS = {"figf", "tournaments", "rankings", "pbem", "discipline"}
LATER_AT_MOST = 208  # a ratchet: lower it when rules find their home, never raise it


def docstring_ids() -> dict[str, list[str]]:
    """Every id that opens a docstring of the rules, with the module of each such docstring.

    `C-01, C-05 — sentence` opens C-01 and C-05. A first line that starts like an id and has no
    dash counts as one unknown id.
    """
    found: dict[str, list[str]] = {}
    for path in ROOT.glob("*/rules/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                opening = (ast.get_docstring(node) or "").partition("\n")[0].partition(" — ")[0]
                if re.match(r"(\w+/)?[A-Z]+-\d", opening):
                    for rule in opening.split(", "):
                        found.setdefault(rule, []).append(path.relative_to(ROOT).as_posix())
    return found


def engine_ids() -> dict[str, set[str]]:
    """Every rule of the regulation that opens a docstring of the engine, with its modules.

    There `1830/V-2, S-7, FIGF-Z-01, Z-02 — sentence` opens two clauses of the rulebook, which are
    not in the map, and two rules of the regulation.
    """
    found: dict[str, set[str]] = {}
    for path in ROOT.glob("pbem/engine/*.py"):
        for opening in re.findall(r'"""((?:1830/|FIGF-)[^"—]*) — ', path.read_text("utf-8")):
            _, _, ours = opening.partition("FIGF-")
            for rule in filter(None, ours.replace("FIGF-", "").split(", ")):
                found.setdefault(rule, set()).add(path.relative_to(ROOT).as_posix())
    return found


def test_every_rule_is_in_the_map_once_and_in_order() -> None:
    sizes = {name: len(group) for name, group in MAP.items()}
    assert sizes.pop("OTH") + sizes.pop("RIS") == 113
    assert sum(sizes.values()) == 314
    for name, group in MAP.items():
        assert [rule for rule in group if not re.fullmatch(rf"{name}-\d\d", rule)] == []
        assert list(group) == sorted(group)


def test_every_rule_has_a_title_and_one_status() -> None:
    for rule, entry in RULES.items():
        statuses = entry.keys() - {"title", "source"}
        assert len(statuses) == 1, rule
        assert statuses <= {"home", "page", "human", "later"}, rule
        assert entry.get("title"), rule
        assert entry.get("human", True) is True, rule
        assert entry.get("later", "figf") in APPS, rule


def test_every_home_opens_one_docstring_and_no_other_docstring_claims_a_rule() -> None:
    homes = {rule: entry["home"] for rule, entry in RULES.items() if "home" in entry}
    engine = {rule: home for rule, home in homes.items() if home.startswith("pbem/engine/")}
    assert docstring_ids() == {rule: [home] for rule, home in homes.items() if rule not in engine}
    in_engine = engine_ids()
    assert [rule for rule, home in engine.items() if home not in in_engine.get(rule, ())] == []
    assert sorted(rule for rule in in_engine if rule[:4] not in RULES) == []


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


def articles() -> list[tuple[str, str]]:
    """The articles of the pages of the regulation, chapter by chapter: number and title."""
    found: list[tuple[str, str]] = []
    for chapter in CHAPTERS:
        page = (ROOT / "templates" / chapter.template).read_text(encoding="utf-8")
        found += re.findall(r'id="([^"]+)"><h3>.*{% translate "([^"]+)" context "article" %}', page)
        ids = re.findall(r'id="([^"]+)"', page)
        assert re.findall(r'<a class="article" href="#([^"]+)">', page) == ids
        assert re.findall(r'{% about_article "([^"]+)" %}', page) == ids
    return found


def test_every_rule_is_an_article_once_in_order_and_with_a_title() -> None:
    rules = [rule for rule in RULES if not rule.startswith(("OTH", "RIS"))]
    assert [number for number, _title in articles()] == rules
    assert len(rules) == 314
    assert [chapter.letter for chapter in CHAPTERS] == list(dict.fromkeys(r[0] for r in rules))
    assert all(title.strip() for _number, title in articles())


def test_every_article_that_the_site_links_is_on_the_page_of_the_regulation() -> None:
    published = {number for number, _title in articles()}
    linked: set[str] = set()
    for path in ROOT.glob("templates/**/*.html"):
        linked.update(re.findall(r'\{% article "([A-Z]+-\d\d)"', path.read_text(encoding="utf-8")))
    for app in sorted(APPS):
        for path in (ROOT / app).rglob("*.py"):
            if path.parent.name not in {"tests", "migrations"}:
                text = path.read_text(encoding="utf-8")
                linked.update(re.findall(r'"([A-Z]+-\d\d)"', text))
    assert sorted(linked - published) == []
