"""What ``run`` and ``test`` share before anything is installed: Python, packages, environments.

Standard library only, and loaded by its path: it imports neither Django nor this package.
It is also read by Pythons older than the one the platform needs, to say so in a sentence.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    sys.exit("This needs Linux or macOS; on Windows, use it inside WSL.")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import IO, NoReturn

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
STAMP = "figf-stamp"
APT = ["apt-get", "-o", "DPkg::Lock::Timeout=120", "-q"]
POLICY = Path("/usr/sbin/policy-rc.d")
NO_CLUSTER = Path("/etc/postgresql-common/createcluster.d/figf.conf")
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before any fork
PR_SET_PDEATHSIG = 1


def say(sentence: str) -> None:
    """Tell the person at the terminal; never in the way of what a command prints."""
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


def give_up(sentence: str) -> NoReturn:
    """End with status 1 and a sentence that says what to do."""
    say(sentence)
    raise SystemExit(1)


def require_python() -> None:
    """Go on with Python 3.11 or later: this one, or start again with the first one found."""
    if sys.version_info[:2] >= OLDEST:
        return
    for name in ("python3.13", "python3.12", "python3.11", "python3.14"):
        found = shutil.which(name)
        if found:
            os.execv(found, [found, *sys.argv])  # noqa: S606
    give_up(
        "This needs Python {}.{} or later, and here is {}.{} ({}). Install a newer one.".format(
            *OLDEST, *sys.version_info[:2], sys.executable
        )
    )


def make_environment(name: str, requirements: str) -> Path:
    """Return the ``bin`` folder of environment ``name`` with exactly the locked ``requirements``.

    A stamp, written last, holds what was installed: a second call installs nothing, a changed
    lock file or a moved folder makes it anew, and an interrupted installation does not count.
    """
    environment, lock_file = ROOT / name, ROOT / requirements
    binaries = environment / "bin"
    with lock_file.open("rb") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)  # two commands started together make it once
        wanted = _fingerprint(environment, locked.read())
        stamp = environment / STAMP
        if stamp.exists() and stamp.read_text() == wanted and (binaries / "python").exists():
            return binaries
        say(f"Making the Python environment {name} from {requirements} (once).")
        if environment.is_symlink():
            environment.unlink()
        shutil.rmtree(environment, ignore_errors=True)
        _install(environment, lock_file)
        stamp.write_text(wanted)
    return binaries


def _fingerprint(environment: Path, requirements: bytes) -> str:
    python = str(sys.implementation.cache_tag)  # a venv outlives a patch of its Python
    parts = [requirements, python.encode(), str(environment.resolve()).encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _install(environment: Path, requirements: Path) -> None:
    # Not the python of an activated environment, which may be the very one made anew.
    base = getattr(sys, "_base_executable", sys.executable)
    python = str(environment / "bin" / "python")
    only = ["--require-hashes", "--only-binary", ":all:", "-r", str(requirements)]
    uv = shutil.which("uv")
    if uv:
        make = [uv, "venv", "-q", "--python", base, str(environment)]
        install = [uv, "pip", "install", "-q", "--python", python, "--compile-bytecode", *only]
    else:
        _require_venv()
        make = [base, "-m", "venv", str(environment)]
        install = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *only]
    for command in (make, install):
        if call(command):
            give_up(f"The environment {environment.name} could not be made: see above.")


def _require_venv() -> None:
    try:
        import ensurepip  # noqa: F401, PLC0415 - Debian and Ubuntu leave it out of Python
    except ImportError:
        apt_install([f"python3.{sys.version_info.minor}-venv"])


def apt_install(packages: Sequence[str]) -> None:
    """Install Debian packages, starting no service; who may not is told the line to type."""
    line = "apt-get install --no-install-recommends " + " ".join(packages)
    if shutil.which("apt-get") is None:
        give_up(f"These are missing, install them: {' '.join(packages)} (Debian's names).")
    if os.geteuid() != 0:
        give_up(f"Something is missing. Type this once, then start again:\n  sudo {line}")
    say(f"Installing from the system's packages: {' '.join(packages)}")
    quiet = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    with _no_service_starts():
        call([*APT, "update"], env=quiet, stdout=subprocess.DEVNULL)
        install = [*APT, "install", "-y", "--no-install-recommends", *packages]
        if call(install, env=quiet, stdout=subprocess.DEVNULL):
            give_up(f"The system's packages could not be installed. Try:\n  {line}")


@contextlib.contextmanager
def _no_service_starts() -> Iterator[None]:
    """While packages are installed, no daemon starts and PostgreSQL makes no cluster."""
    made = []
    for path, text in (
        (POLICY, "#!/bin/sh\nexit 101\n"),
        (NO_CLUSTER, "create_main_cluster = false\n"),
    ):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
            made.append(path)
    try:
        yield
    finally:
        for path in made:
            path.unlink()


def start(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | Path = ROOT,
    stdout: IO[bytes] | int | None = None,
    stderr: IO[bytes] | int | None = None,
    user: str | None = None,
    session: bool = True,
    at_our_death: int = signal.SIGKILL,
) -> subprocess.Popen[bytes]:
    """Start a process that does not outlive this one, whatever ends it (on Linux).

    In a ``session`` of its own the terminal's Ctrl-C does not reach it: we end it ourselves.
    """
    return subprocess.Popen(
        command,
        env=env,
        cwd=cwd,
        stdout=stdout,
        stderr=stderr,
        stdin=subprocess.DEVNULL if session else None,
        start_new_session=session,
        preexec_fn=_tie(at_our_death),  # noqa: PLW1509 - there are no threads here
        user=user,
        group=user,
        extra_groups=[] if user else None,
    )


def _tie(number: int) -> Callable[[], None] | None:
    if LIBC is None:
        return None
    libc, us = LIBC, os.getpid()

    def die_with_us() -> None:
        libc.prctl(PR_SET_PDEATHSIG, number)
        if os.getppid() != us:
            os._exit(1)

    return die_with_us


def call(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    stdout: IO[bytes] | int | None = None,
    stderr: IO[bytes] | int | None = None,
    user: str | None = None,
    cwd: str | Path = ROOT,
) -> int:
    """Run ``command`` on this terminal to its end and return its status."""
    process = start(
        command, env=env, stdout=stdout, stderr=stderr, user=user, cwd=cwd, session=False
    )
    try:
        return process.wait()
    finally:
        stop(process)


def stop(
    process: subprocess.Popen[bytes] | None, number: int = signal.SIGTERM, patience: float = 15
) -> None:
    """End a process politely and wait for it; after ``patience`` seconds, by force."""
    if process is None or process.poll() is not None:
        return
    process.send_signal(number)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def lock(path: Path) -> Iterator[bool]:
    """Try to hold the lock of ``path``; the system frees it however this process ends."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def end_on_signals(statuses: Mapping[int, int]) -> None:
    """From now on each of these signals ends this program, tidily, with the given status."""

    def end(number: int, _frame: object) -> None:
        for other in statuses:
            signal.signal(other, signal.SIG_IGN)  # the tidying up is not to be interrupted
        raise SystemExit(statuses[number])

    for number in statuses:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, end)
