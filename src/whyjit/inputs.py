"""`whyjit.roles()`: what each input of a function is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whyjit.model.roles import Roles
    from whyjit.present.document import Document


class InputRoles:
    """The roles of a function's inputs. `roles` is it as plain data; `str()` of it and a notebook show it."""

    def __init__(self, roles: Roles) -> None:
        self.roles = roles

    def report(self) -> dict[str, Any]:
        """What `whyjit show FUNCTION --roles --json` writes, as a dict."""
        from whyjit.present.roles_json import roles_dict

        return roles_dict(self.roles, str(Path.cwd()))

    def document(self) -> Document:
        """What it says, for any medium."""
        from whyjit.present import compose

        return compose.roles(self.roles, directory=str(Path.cwd()))

    def __str__(self) -> str:
        from whyjit.present import terminal

        return terminal.render(self.document(), width=100).rstrip("\n")

    def _repr_html_(self) -> str:
        from whyjit.present.html.documents import fragment

        return fragment(self.document())


def roles(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> InputRoles:
    """Say of every input of a call which role it has: runtime value, metadata, or static configuration.

        print(whyjit.roles(train_step, params, batch, mode="sum"))

    For a runtime value: whether the program uses its contents, and whether they are asked for while tracing, by a shape
    or a Python decision. For a static: what in the program depends on it, found by staging it with another value where
    there is one (the other boolean, an enum's members, a `Literal`'s choices, a neighbouring number). Arrays that the
    function closes over are named with their sizes. It happens in a process of its own; nothing is executed.

    Raises:
      WhyjitError: the function or its arguments cannot be handed to another process, or the call does not fit.
    """
    from whyjit.experiment import run
    from whyjit.experiment.live import job_of
    from whyjit.model.roles import Roles
    from whyjit.probing import stop_inside

    stop_inside()
    job = job_of(fn, args, kwargs)
    return InputRoles(run.one("roles", job, Roles, run.Limits()))
