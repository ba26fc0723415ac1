"""Advice: what to change, how well that is known, what it saves, and the patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyjit.present import paths, units
from whyjit.present.compose.words import ARROW, as_role, listed, prose, words
from whyjit.present.document import Block, Callout, Code, CodeLine, Document, Heading, Paragraph, Severity, Span, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whyjit.model.advice import Advice
    from whyjit.present.document import Role, Tone

_SEVERITIES: dict[str, Severity] = {"PROVEN": "good", "TESTED": "info", "SUGGESTED": "warn"}
_ROLES: dict[str, Role] = {"PROVEN": "good", "TESTED": "strong", "SUGGESTED": "warn"}
_VALUES = 6
_TITLES = {
    "make-dynamic": "pass {path} as an ordinary argument",
    "drop-static": "{path} decides nothing: keep it out of the static arguments",
    "make-static": "make {path} static",
    "bucket": "bring {path} to a few sizes",
    "cond": "choose with jax.lax.cond",
    "where": "choose with jax.numpy.where",
    "logical": "combine conditions with jax.numpy's logical functions",
    "at-set": "make a changed copy with .at[...]",
    "jnp-function": "use the function of jax.numpy",
    "mask-reduce": "reduce with where= instead of a mask",
}
# Of these, a suggestion without a patch may be of another form than the kind's.
_BY_HAND = frozenset({"cond", "where", "logical", "at-set", "jnp-function", "mask-reduce"})
_KEEP = {
    "make-dynamic": "leave {path} static",
    "drop-static": "leave {path} static",
    "make-static": "{path} cannot be made static as it stands",
    "bucket": "leave the sizes of {path} as they are",
}


def advice(items: Sequence[Advice], faults: Sequence[str] = (), *, directory: str = "", where: str = "") -> Document:
    """All advice, largest saving first, and below it what went wrong while it was looked for."""
    blocks: list[Block] = [Heading(words("Advice", as_role(f"  {where}" if where else "", "dim")), 1)]
    blocks.append(Paragraph(_total(items)))
    for item in items:
        blocks += _item(item, directory)
    blocks += [Callout("warn", words(fault)) for fault in faults]
    blocks += _hint({item.evidence for item in items if item.patch})
    return Document("advice", tuple(blocks))


def _hint(levels: set[str]) -> list[Block]:
    """How to have the patches applied."""
    if "PROVEN" in levels:
        return [Paragraph(words("To apply what is proven: ", Span("whyjit fix --apply", "quoted")))]
    if "TESTED" in levels:
        return [Paragraph(words("To apply what is tested: ", Span("whyjit fix --tested --apply", "quoted")))]
    return []


def _total(items: Sequence[Advice]) -> Text:
    if not items:
        text = "No jitted function has traces that a change would spare; whyjit report lists what runs op by op."
        return as_role(text, "good")
    counts = [
        f"{units.count(number)} {level.lower()}"
        for level in ("PROVEN", "TESTED", "SUGGESTED")
        if (number := sum(item.evidence == level for item in items))
    ]
    saved = sum(item.saved for item in items if item.after is not None)
    told = f"; what was tried would save {units.seconds(saved)}" if saved >= 0.0005 else ""
    return words(f"{units.plural(len(items), 'piece')} of advice: {', '.join(counts)}{told}")


def _item(item: Advice, directory: str) -> list[Block]:
    where = paths.place(item.location, directory) if item.location is not None else ""
    heading = Heading(words(Span(item.function, "name"), "  ", Span(where, "path"), "  ", Span(item.kind, "dim")), 2)
    text = words(Span(item.evidence, _ROLES[item.evidence]), ": ", prose(_title(item)), _effort(item))
    details = [prose(_sentence(item.why))]
    if item.tested:
        details.append(words(Span("Values: ", "dim"), Span(listed(item.tested, _VALUES), "code")))
    code = item.code.strip("\n")
    if code and "\n" not in code:
        details.append(words(ARROW, " ", prose(code)))
    blocks: list[Block] = [heading, Callout(_SEVERITIES[item.evidence], text, tuple(details))]
    if "\n" in code:
        blocks.append(Code(tuple(CodeLine(line) for line in code.splitlines()), words("To write instead")))
    if item.patch:
        blocks.append(Code(tuple(_line(line) for line in item.patch.splitlines()), words("Patch")))
    return blocks


def _role(item: Advice) -> str:  # the role of the level's own word
    return {"PROVEN": "good", "TESTED": "strong", "SUGGESTED": "warn"}[item.evidence]


def _title(item: Advice) -> str:
    path = " and ".join(f"`{name}`" for name in item.path.split(", ")) if item.path else "it"
    if item.kind == "make-dynamic" and item.code and not item.patch:
        return f"static, but it looks like data: {path}"
    if item.kind in _BY_HAND and item.evidence == "SUGGESTED" and not item.patch:
        return "to be rewritten by hand"
    refused = item.evidence == "SUGGESTED" and item.after is None and not item.patch and not item.code
    titles = {**_TITLES, **_KEEP} if refused else _TITLES
    title = titles[item.kind].format(path=path)
    return title.replace("an ordinary argument", "ordinary arguments") if " and " in path else title


def _effort(item: Advice) -> Text:
    before = item.before
    if item.after is None:
        spent = f" ({units.plural(before.traces, 'trace')}, {units.seconds(before.seconds)} so far)"
        return as_role(spent if before.traces else "", "dim")
    if item.after.traces >= before.traces or item.saved < 0:  # it did not work before
        return words(f", {units.plural(item.after.traces, 'trace')} for these calls")
    number = f"{units.plural(before.traces, 'trace')} -> {units.count(item.after.traces)}"
    return words(f", {number}, saves ", Span(units.seconds(item.saved), "number"))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text and not text.endswith(".") else text


def _line(line: str) -> CodeLine:
    tones: dict[str, Tone] = {"+": "added", "-": "removed"}
    tone = "dim" if line.startswith(("+++", "---", "@@")) else tones.get(line[:1], "plain")
    return CodeLine(line, tone=tone)
