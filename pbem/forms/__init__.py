"""What people send in of games: their moves, and games played elsewhere."""

from pbem.forms.recordings import RecordingForm

__all__ = ["RecordingForm"]
