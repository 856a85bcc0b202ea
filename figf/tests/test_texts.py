"""Every verb that a service writes in the log has words for who reads it."""

import re
from pathlib import Path

from figf.texts import VERBS

ROOT = Path(__file__).resolve().parents[2]


def test_every_verb_of_the_log_has_words_and_no_word_is_left_over() -> None:
    written = set()
    services = [*ROOT.glob("*/services.py"), *ROOT.glob("*/services/*.py")]
    for path in [*services, ROOT / "figf" / "mail.py"]:
        for call in re.findall(r"(?:record|_edited)\(\s*[^,]+,\s*([^,]+),", path.read_text()):
            written |= set(re.findall(r'"([a-z_]+)"', call))
    written |= set(re.findall(r'"(admin_[a-z]+)"', (ROOT / "figf" / "admin.py").read_text()))
    assert written == set(VERBS)
