"""The addresses of the titles and of recorded games."""

from django.urls import path, register_converter

from pbem.board.printed import NAMES
from pbem.views import by_hand, consents, desk, games, preferences, replays, tables, titles


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
    path("partite/", tables.game_list, name="game_list"),
    path("tavoli/<int:pk>/partita/", tables.table_game_open, name="table_game_open"),
    path("eventi/<int:pk>/partite/nuova/", tables.game_invite, name="game_invite"),
    path("partite/<int:pk>/", by_hand.game, name="game"),
    path("partite/<int:pk>/appello/", tables.game_answer, name="game_answer"),
    path("partite/<int:pk>/tavolo/", tables.game_table, name="game_table"),
    path("partite/<int:pk>/mossa/", by_hand.game_move, name="game_move"),
    path("partite/<int:pk>/scambio/", games.game_exchange, name="game_exchange"),
    path("partite/<int:pk>/situazione/", by_hand.hand_desk, name="hand_desk"),
    path("capostazione/", desk.desk, name="desk"),
    path("partite/<int:pk>/capostazione/", desk.game_tools, name="game_tools"),
    path(
        "partite/<int:pk>/mosse/<int:number>/segnala/", desk.comment_report, name="comment_report"
    ),
    path("partite/<int:pk>/mosse/<int:number>/dubbio/", desk.move_doubt, name="move_doubt"),
    path("partite/<int:pk>/mosse/<int:number>/", by_hand.hand_tick, name="hand_tick"),
    path("consensi/<int:pk>/", consents.consent, name="consent"),
    path("account/partite/", preferences.preferences, name="pbem_preferences"),
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
