"""Merge drafts in the Conflicts view: written by rules or the chat model, then accepted or edited."""

from functools import partial

from curator import curation
from curator.curation import MergeDraft, Pair
from curator.tui.conflicts import dialogs
from curator.tui.conflicts.panes import PairPane
from curator.tui.conflicts.queries import ConflictDetail, Resolution
from curator.tui.list_view import FilteredView
from curator.tui.messages import Tone
from curator.tui.model_draft import ModelDraft
from store import StoreError


class DraftView(FilteredView):
    """A view of a conflict whose sides can be merged with a draft."""

    panes: PairPane
    shown: ConflictDetail | None

    def action_draft(self) -> None:
        """Draft a merge, or highlight the draft."""
        if self.panes.draft is not None:
            self.panes.choose("draft")
            self.draw_bars()
        elif self.shown is not None:
            self.begin(partial(self._draft, self.shown.pair), "draft")

    async def _draft(self, pair: Pair) -> MergeDraft | None:
        """Draft a merge, and show it if its conflict is still on the screen; report why if drafting fails."""
        if pair.a.scope != pair.b.scope:
            self.say("different scopes: set one with `scope` in Memories first", Tone.BAD)
            return None
        try:
            draft = await self.context.run(
                "rows", curation.draft, self.context.store, [pair.a.id, pair.b.id], pair.on(self.panes.side).id
            )
        except (StoreError, ValueError) as error:
            self.say(str(error), Tone.BAD)
            return None
        if self.shown is not None and self.shown.pair == pair:
            self.panes.show_draft(ModelDraft(self.context, draft), "a" if draft.survivor == pair.a.id else "b")
            self.draw_bars()
            self.screen.refresh_bindings()
        return draft

    def on_pair_pane_suggested(self) -> None:
        """Show the chat model's draft below the rules' draft, or report why there is none."""
        suggested = self.panes.suggested
        if suggested is not None:
            self.panes.choose(self.panes.choice)
            self.screen.refresh_bindings()
            if suggested.problem:
                self.say(suggested.problem, Tone.BAD)

    def action_accept_wording(self) -> None:
        """Swap the chat model's draft with the rules' draft."""
        self.panes.take_other()
        self.draw_bars()

    def action_edit_draft(self) -> None:
        """Edit the draft, and merge with it."""
        if self.shown is not None and not self.reports_problem():
            self.begin_dialog(partial(self._edit_draft, self.shown.pair))

    async def _edit_draft(self, pair: Pair) -> None:
        draft, suggested = self.panes.draft or await self._draft(pair), self.panes.suggested
        if draft is not None and suggested is not None:
            await dialogs.edit(self.app, pair, draft, suggested, partial(self.perform_on, pair))

    def draw_bars(self) -> None:
        """Draw the bar with the outcome of the choice."""
        raise NotImplementedError

    async def perform_on(self, pair: Pair, resolution: Resolution) -> str | None:
        """Resolve a conflict for a dialog; return the problem that prevented it, or None."""
        raise NotImplementedError
