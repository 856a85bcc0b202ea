"""The verbs of games by correspondence, and of games played elsewhere; positions are read here.

Each verb takes `by` and `now`, runs in one transaction, and refuses before anything is written.
"""

from pbem.services.positions import Entry, Film, Part, Score, film, position
from pbem.services.recordings import (
    LARGEST_FILE,
    LONGEST_REPLAY,
    MOST_ACTIONS,
    MOST_RECORDINGS,
    delete_recording,
    import_recording,
    names_of,
    score_of,
    score_of_game,
)
from pbem.services.verification import Verification, verify

__all__ = [
    "LARGEST_FILE",
    "LONGEST_REPLAY",
    "MOST_ACTIONS",
    "MOST_RECORDINGS",
    "Entry",
    "Film",
    "Part",
    "Score",
    "Verification",
    "delete_recording",
    "film",
    "import_recording",
    "names_of",
    "position",
    "score_of",
    "score_of_game",
    "verify",
]
