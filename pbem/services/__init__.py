"""The verbs of games by correspondence, and of games played elsewhere; positions are read here.

Each verb takes `by` and `now`, runs in one transaction, and refuses before anything is written.
"""

from pbem.services.clocks import pause, reopen_turn, resume, sweep
from pbem.services.history import Past, history
from pbem.services.logs import head, position_at
from pbem.services.moves import (
    LONGEST_COMMENT,
    Sent,
    answer,
    correctable,
    play,
    receive,
    roll_back,
    submit,
)
from pbem.services.positions import Entry, Film, Part, Score, film, position
from pbem.services.previews import Preview, preview
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
from pbem.services.told import Line, names_of_game, told
from pbem.services.verification import Verification, verify

__all__ = [
    "LARGEST_FILE",
    "LONGEST_COMMENT",
    "LONGEST_REPLAY",
    "MOST_ACTIONS",
    "MOST_RECORDINGS",
    "Entry",
    "Film",
    "Line",
    "Part",
    "Past",
    "Preview",
    "Score",
    "Sent",
    "Verification",
    "answer",
    "correctable",
    "delete_recording",
    "film",
    "head",
    "history",
    "import_recording",
    "names_of",
    "names_of_game",
    "pause",
    "play",
    "position",
    "position_at",
    "preview",
    "receive",
    "reopen_turn",
    "resume",
    "roll_back",
    "score_of",
    "score_of_game",
    "submit",
    "sweep",
    "told",
    "verify",
]
