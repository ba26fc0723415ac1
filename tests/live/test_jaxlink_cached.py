"""What JAX's tracing cache tells of a function, without running code of the user's."""

import dataclasses

import jax
import numpy as np
import pytest

import whyjit
from whyjit.jaxlink import cached
from whyjit.jaxlink.missing import Missing

pytestmark = pytest.mark.live
if isinstance(cached.traced_for(len), Missing):
    pytest.skip("this JAX's cache cannot be asked", allow_module_level=True)

three, four = (np.ones(size, np.float32) for size in (3, 4))


def refused(call):
    with pytest.raises(whyjit.FrozenError) as caught:
        call()
    return caught.value


def test_a_class_of_the_users_is_not_put_together_again():
    made = []

    @jax.tree_util.register_pytree_node_class
    class State:
        def __init__(self, w, tag):
            self.w, self.tag = w, tag

        def tree_flatten(self):
            return (self.w,), self.tag

        @classmethod
        def tree_unflatten(cls, tag, children):
            made.append(tag)
            return cls(*children, tag)

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Config:
        state: State
        width: int = dataclasses.field(metadata={"static": True})
        name: str = dataclasses.field(metadata={"static": True}, default="a")

    step = jax.jit(lambda tree: jax.tree.leaves(tree)[0] * 2)
    step({"a": [Config(State(three, "x"), 1), None]})
    made.clear()
    with whyjit.frozen():
        errors = [
            refused(lambda tree=tree: step({"a": [tree, None]}))
            for tree in (
                Config(State(four, "x"), 1),
                Config(State(three, "y"), 1),
                Config(State(three, "x"), 1, "b"),
                Config(State(three, "x"), 2),
            )
        ]
        unlike = refused(lambda: step(four))
    assert made == []
    assert [error.cause.kind for error in errors] == ["shape", "static", "static", "static"]
    assert [error.cause.changes[0].path for error in errors][1:] == [
        "tree['a'][0].state",
        "tree['a'][0].name",
        "tree['a'][0].width",
    ]
    assert unlike.cause.kind == "first"
    assert "not recorded" in str(unlike)


def test_statics_keywords_and_plain_containers_are_told():
    step = jax.jit(lambda x, n, *rest, m="a": jax.tree.leaves(x)[0] * n, static_argnums=1, static_argnames="m")
    step({"q": (three, None)}, 3, [four], m="b")
    (found,) = cached.traced_for(step.__wrapped__)
    (tree, n, rest), kwargs, here = found
    assert (n, kwargs, here) == (3, {"m": "b"}, True)
    assert [type(part) for part in (tree, tree["q"], rest)] == [dict, tuple, list]
    assert (tree["q"][0].shape, tree["q"][1], rest[0].shape) == ((3,), None, (4,))
