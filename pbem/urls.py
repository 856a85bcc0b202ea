"""The addresses of the titles and of recorded games."""

from django.urls import path, register_converter

from pbem.board.printed import NAMES
from pbem.views import games, replays, titles


class PrintedTitle:
    """A title that has a file."""

    regex = "|".join(NAMES)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: object) -> str:
        if str(value) not in NAMES:
            raise ValueError(value)
        return str(value)


register_converter(PrintedTitle, "printed")

urlpatterns = [
    path("titoli/", titles.title_list, name="title_list"),
    path("titoli/<printed:name>/", titles.title_page, name="title_page"),
    path("partite/<int:pk>/", games.game, name="game"),
    path("partite/<int:pk>/mossa/", games.game_move, name="game_move"),
    path("partite/<int:pk>/rivedi/", replays.game_replay, name="game_replay"),
    path("partite/<int:pk>/rivedi/posizione/", replays.game_position, name="game_position"),
    path("partite/registrate/", replays.recording_list, name="recording_list"),
    path("partite/registrate/importa/", replays.recording_import, name="recording_import"),
    path("partite/registrate/<slug:key>/", replays.recording, name="recording"),
    path(
        "partite/registrate/<slug:key>/posizione/",
        replays.recording_position,
        name="recording_position",
    ),
    path(
        "partite/registrate/<slug:key>/elimina/",
        replays.recording_delete,
        name="recording_delete",
    ),
]
