"""compose.yaml, .env.example, `run` and the settings tell the same story."""

import importlib.util
import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("migrate", "web", "worker", "beat")
VARIABLES = {
    *("DATABASE_URL", "REDIS_URL", "EMAIL_URL"),
    *("SECRET_KEY", "ALLOWED_HOSTS", "DEBUG", "SITE_URL"),
}


def env_example() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
    return {name: value for name, _, value in pairs}


@pytest.fixture(scope="module")
def run() -> ModuleType:
    loader = SourceFileLoader("run_command", str(ROOT / "run"))
    spec = importlib.util.spec_from_loader("run_command", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_there_are_six_services_and_only_the_web_is_published_on_this_host() -> None:
    assert set(SERVICES) == {"postgres", "redis", *OURS}
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"]}


def test_every_service_that_stays_up_has_a_healthcheck() -> None:
    assert all("healthcheck" in SERVICES[name] for name in set(SERVICES) - {"migrate"})


def test_the_servers_versions_are_fixed() -> None:
    assert SERVICES["postgres"]["image"] == "postgres:15"
    assert SERVICES["redis"]["image"] == "redis:7"


def test_whoever_uses_the_database_waits_until_it_is_migrated() -> None:
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("web", "worker", "beat"):
        waits = {other: how["condition"] for other, how in SERVICES[name]["depends_on"].items()}
        assert waits == {
            "migrate": "service_completed_successfully",
            "postgres": "service_healthy",
            "redis": "service_healthy",
        }


def test_volumes_and_networks_that_are_used_are_declared() -> None:
    used = {
        volume.partition(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
    }
    assert used == set(COMPOSE["volumes"])
    assert {network for service in SERVICES.values() for network in service["networks"]} == set(
        COMPOSE["networks"]
    )


def test_the_servers_without_a_password_are_on_a_network_that_leads_nowhere() -> None:
    assert COMPOSE["networks"]["data"] == {"internal": True}
    assert SERVICES["postgres"]["networks"] == SERVICES["redis"]["networks"] == ["data"]


def test_our_services_share_one_image_that_one_of_them_builds() -> None:
    assert {SERVICES[name]["image"] for name in OURS} == {"figf"}
    assert [name for name in OURS if "build" in SERVICES[name]] == ["migrate"]


def test_the_image_holds_what_the_program_is_made_of() -> None:
    lines = SERVICES["migrate"]["build"]["dockerfile_inline"].splitlines()
    copied = [word for line in lines if line.startswith("COPY") for word in line.split()[1:-1]]
    assert all((ROOT / path).exists() for path in copied)
    needed = {"requirements.txt", "manage.py", "templates", "static"}
    needed |= {path.parent.name for path in ROOT.glob("*/migrations")} | {"figf"}
    assert needed <= set(copied)
    assert not {"USER figf"} - set(lines), "the program does not run as root"
    assert "--require-hashes" in "".join(lines)


def test_env_example_has_the_seven_variables_with_a_comment_each() -> None:
    assert set(env_example()) == VARIABLES
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    for name in VARIABLES:
        assert re.search(rf"^# .+\n(# .+\n)*{name}=", text, re.MULTILINE), name


def test_the_settings_read_those_seven_and_no_other() -> None:
    text = (ROOT / "figf" / "settings.py").read_text(encoding="utf-8")
    read = re.findall(r'(?:env(?:\.\w+)?|required)\(\s*"([A-Z_]+)"', text)
    assert set(read) == VARIABLES
    assert "os.environ" not in text


def test_env_example_names_the_services_of_the_file() -> None:
    example = env_example()
    assert all(SERVICES[name]["env_file"] == ".env" for name in OURS)
    database = urlsplit(example["DATABASE_URL"])
    settings = SERVICES["postgres"]["environment"]
    assert database.hostname in SERVICES
    assert database.username == settings["POSTGRES_USER"]
    assert database.path == "/" + settings["POSTGRES_DB"]
    assert urlsplit(example["REDIS_URL"]).hostname in SERVICES


def test_variables_named_in_the_file_are_among_the_seven_or_the_containers_own() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r'\$\$?{?(\w+)|environ\["(\w+)"\]', text)) == {
        ("HOSTNAME", ""),
        ("", "SITE_URL"),
    }


def test_env_example_filled_in_starts_the_settings() -> None:
    """With a key it is a working production environment; without, a sentence says what to do."""
    command = [sys.executable, "-c", "from figf import settings; print(settings.EMBEDDED)"]
    path = {"PATH": "/usr/bin:/bin"}
    example = env_example()
    filled = {**path, **example, "SECRET_KEY": "k" * 50}
    done = subprocess.run(command, cwd=ROOT, env=filled, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    refused = subprocess.run(
        command, cwd=ROOT, env={**path, **example}, capture_output=True, text=True, check=False
    )
    assert "ImproperlyConfigured: SECRET_KEY is not set." in refused.stderr


@pytest.mark.parametrize("name", ["web", "worker", "beat", "migrate"])
def test_every_command_starts_a_program_that_the_requirements_install(name: str) -> None:
    program = SERVICES[name]["command"][0]
    assert (Path(sys.executable).parent / program).exists()


def test_run_reads_the_very_commands_of_the_file(run: ModuleType) -> None:
    commands = run.production_commands("127.0.0.1", "8123")
    assert list(commands) == ["web", "worker", "beat"]
    assert commands["worker"] == SERVICES["worker"]["command"]
    assert commands["beat"] == SERVICES["beat"]["command"]
    web = list(SERVICES["web"]["command"])
    assert "0.0.0.0:8000" in web
    assert commands["web"] == ["127.0.0.1:8123" if word == "0.0.0.0:8000" else word for word in web]


def test_run_brackets_an_address_of_ipv6(run: ModuleType) -> None:
    assert "[::1]:8123" in run.production_commands("::1", "8123")["web"]


def test_celery_and_gunicorn_accept_the_options_they_are_given() -> None:
    folder = Path(sys.executable).parent
    for name, words in (("web", ["--check-config"]), ("worker", ["--help"]), ("beat", ["--help"])):
        program, *rest = SERVICES[name]["command"]
        done = subprocess.run(
            [folder / program, *rest, *words], cwd=ROOT, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
