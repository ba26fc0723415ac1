"""Functions that no module has by name: nested in others, lambdas, bound methods; and what they close over.

The calls of one case are made one after the other, so that a closure can change between them.
"""

from __future__ import annotations

from .case import Case

_DATA = "x = jnp.linspace(0.1, 3.0, 7)\ni = jnp.arange(7)\nimport threading\nchanges = []\n"
_TWICE = ("g(x, s=0.1)", "g(x, s=0.2)")
_JIT = "@functools.partial(jax.jit, static_argnames='s')"


def _case(name, source, expected, because="", calls=_TWICE, *, wrong=False, function="f", kind="make-dynamic"):
    path = "s" if kind == "make-dynamic" else ""
    return Case(name, kind, _DATA + source, calls, expected, because, function, path, wrong)


def _factory(body, *, before="", given="x, s", after="", head="def make(k=2.5):"):
    """A factory `make` whose function `f` has a body, made once as `g`."""
    inner = "".join(f"        {line}\n" for line in body.split("\n"))
    above = "".join(f"    {line}\n" for line in before.split("\n")) if before else ""
    below = "".join(f"    {line}\n" for line in after.split("\n")) if after else ""
    return f"{head}\n{above}    {_JIT}\n    def f({given}):\n{inner}{below}    return f\n"


MADE = "g = make()\n"

HELD = (
    _case("nothing closed over", _factory("return x * s") + MADE, "PROVEN"),
    _case("a number closed over", _factory("return x * s + k") + MADE, "PROVEN"),
    _case("an array closed over", _factory("return x * s + w", before="w = jnp.arange(7.0)") + MADE, "PROVEN"),
    _case(
        "a module imported by the function around it",
        _factory("return num.sin(x) * s + np2.float32(k)", before="import jax.numpy as num\nimport numpy as np2")
        + MADE,
        "PROVEN",
    ),
    _case(
        "a dictionary of parameters",
        _factory("return x * s * p['w'][0] + p['b']", before="p = {'w': [x, i], 'b': np.float32(2)}") + MADE,
        "PROVEN",
    ),
    _case(
        "functions made by another factory",
        "def rule(a):\n    def init(x):\n        return x * a\n    def update(x):\n        return x + a\n"
        "    return init, update\n" + _factory("return rule_[1](rule_[0](x)) * s", before="rule_ = rule(k)") + MADE,
        "PROVEN",
    ),
    _case(
        "a jitted helper with a static of its own",
        _factory(
            "return helper(x, n=2) * s",
            before="@functools.partial(jax.jit, static_argnames='n')\ndef helper(x, n):\n    return x ** n * k",
        )
        + MADE,
        "PROVEN",
    ),
    _case(
        "a gradient taken outside",
        _factory("return x - s * slope(x)", before="slope = jax.grad(lambda v: jnp.sum(v ** 2) * k)") + MADE,
        "PROVEN",
    ),
    _case(
        "recursion through its own cell",
        _factory("return x * s * up(3)", before="def up(n):\n    return k if n == 0 else 1 + up(n - 1)") + MADE,
        "PROVEN",
    ),
    _case(
        "an optimizer in the closure",
        "import collections\nOpt = collections.namedtuple('Opt', 'init update')\ndef sgd(m):\n    def init(p):\n"
        "        return jnp.zeros_like(p)\n    def update(g, state):\n        return m * g + state, state + g\n"
        "    return Opt(init, update)\n"
        + _factory("u, _ = tx.update(x, tx.init(x))\nreturn x - s * u", before="tx = sgd(k)")
        + MADE,
        "PROVEN",
    ),
    _case("a default that captures", _factory("return x * s * j", given="x, s, j=jnp.float32(3)") + MADE, "PROVEN"),
    _case("keyword-only, with a default", _factory("return x * s * j", given="x, *, s, j=1.5") + MADE, "PROVEN"),
    _case(
        "two levels down",
        "def outer(k):\n    "
        + _factory("return x * s * k").replace("\n", "\n    ").rstrip().replace("def make(k=2.5):", "def make():")
        + "\n    return make()\ng = outer(3)\n",
        "PROVEN",
    ),
    _case(
        "jitted where it is returned",
        "def make(k):\n    def f(x, s):\n        return x * s + k\n"
        "    return jax.jit(f, static_argnums=1)\ng = make(2)\n",
        "PROVEN",
        calls=("g(x, 0.1)", "g(x, 0.2)"),
    ),
    _case(
        "a lambda",
        "def make(k):\n    return jax.jit(lambda x, s: x * s + k, static_argnums=1)\ng = make(2)\n",
        "PROVEN",
        calls=("g(x, 0.1)", "g(x, 0.2)"),
        function="<lambda>",
    ),
    _case(
        "a lambda of a module's",
        "g = jax.jit(lambda x, s: x * s, static_argnames='s')\n",
        "PROVEN",
        function="<lambda>",
    ),
    _case(
        "a bound method",
        "class Model:\n    def __init__(self, k):\n        self.k = k\n"
        "        self.call = jax.jit(self.f, static_argnums=1)\n"
        "    def f(self, x, s):\n        return x * s * self.k\ng = Model(3).call\n",
        "PROVEN",
        calls=("g(x, 0.1)", "g(x, 0.2)"),
    ),
    _case(
        "a factory called twice",
        _factory("return x * s + k") + "g, h = make(1.0), make(jnp.arange(7.0))\n",
        "PROVEN",
        "for each of the 2 functions",
        calls=(*_TWICE, "h(x, s=0.1)", "h(x, s=0.2)"),
    ),
    _case(
        "a branch",
        "def make(k):\n    @jax.jit\n    def f(x, t):\n        if t > k:\n            x = x * 2\n"
        "        return x\n    return f\n"
        "g = make(2)\n",
        "PROVEN",
        calls=("g(x, 1.0)", "g(x, 3.0)"),
        kind="cond",
    ),
    _case(
        "a branch, made twice",
        "def make(k):\n    @jax.jit\n    def f(x, t):\n        if t > k:\n            x = x * 2\n"
        "        return x\n    return f\n"
        "g, h = make(2), make(jnp.float32(0.5))\n",
        "PROVEN",
        "for each of the 2 functions",
        calls=("g(x, 1.0)", "h(x, 3.0)"),
        kind="cond",
    ),
    _case(
        "a size",
        "def make(k):\n    @jax.jit\n    def f(x, s):\n        return jnp.zeros(s) + k\n    return f\ng = make(2)\n",
        "TESTED",
        calls=("g(x, 3)", "g(x, 5)"),
        kind="make-static",
    ),
    _case(
        "a method of a class made inside",
        "def make(k):\n    class Model:\n        def __init__(self, a):\n            self.a = a\n"
        "        @functools.partial(jax.jit, static_argnums=(0, 2))\n        def f(self, x, s):\n"
        "            return x * s * k + self.a\n    return Model(5.0)\nmodel = make(2)\n",
        "PROVEN",
        calls=("model.f(x, 0.1)", "model.f(x, 0.2)"),
    ),
)

UNPATCHED = (
    _case(
        "a partial",
        _factory("return x * s + k").replace(_JIT, "").replace("given", "")
        + "g = jax.jit(functools.partial(make(3)), static_argnames='s')\n",
        "REJECTED",
        "no patch",
    ),
    _case(
        "two lambdas in one line",
        "def make(k):\n"
        "    a, b = jax.jit(lambda x, s: x * s, static_argnums=1), jax.jit(lambda x, s: x + s * k, static_argnums=1)\n"
        "    return b\ng = make(2)\n",
        "REJECTED",
        "2 lambdas",
        calls=("g(x, 0.1)", "g(x, 0.2)"),
        function="<lambda>",
    ),
)

TRAPS = (
    _case(
        "a cell bound anew",
        _factory("return x * s + k", after="def change(v):\n    nonlocal k\n    k = v\nchanges.append(change)")
        + "g = make()\ndef h(x, s):\n    changes[0](s * 10)\n    return g(x, s=s)\n",
        "REFUSED",
        "`k` from 1.0 to 2.0",
        calls=("h(x, s=0.1)", "h(x, s=0.2)"),
        wrong=True,
    ),
    _case(
        "an array bound anew",
        _factory(
            "return x * s + w",
            before="w = x",
            after="def change(v):\n    nonlocal w\n    w = v\nchanges.append(change)",
        )
        + "g = make()\ndef h(x, s):\n    changes[0](x * s)\n    return g(x, s=s)\n",
        "REFUSED",
        "changed between the recorded calls",
        calls=("h(x, s=0.1)", "h(x, s=0.2)"),
        wrong=True,
    ),
    _case(
        "a list that grows",
        "rates = [1.0]\n"
        + _factory("return x * s + rates_[-1]", before="rates_ = rates")
        + "g = make()\ndef h(x, s):\n    rates.append(s)\n    return g(x, s=s)\n",
        "REFUSED",
        "changed between the recorded calls",
        calls=("h(x, s=0.1)", "h(x, s=0.2)"),
        wrong=True,
    ),
    _case(
        "an object's attribute",
        "class Config:\n    scale = 1.0\nconfig = Config()\n"
        + _factory("return x * s * c.scale", before="c = config")
        + "g = make()\ndef h(x, s):\n    config.scale = s\n    return g(x, s=s)\n",
        "REFUSED",
        "changed between the recorded calls",
        calls=("h(x, s=0.1)", "h(x, s=0.2)"),
        wrong=True,
    ),
    _case(
        "an attribute of self",
        "class Model:\n    def __init__(self):\n        self.k = 1.0\n"
        "        self.call = jax.jit(self.f, static_argnames='s')\n"
        "    def f(self, x, s):\n        return x * s * self.k\nmodel = Model()\n"
        "def h(x, s):\n    model.k = s\n    return model.call(x, s=s)\n",
        "REFUSED",
        "",
        calls=("h(x, s=0.1)", "h(x, s=0.2)"),
        wrong=True,
    ),
    _case(
        "right for one closure only",
        _factory("return n * (s * (s + 1)) if isinstance(n, float) else i * 0 + s * (s + 1)", head="def make(n):")
        + "g, h = make(1.0), make(1)\n",
        "REJECTED",
        calls=("g(x, s=40000)", "g(x, s=50000)", "h(x, s=40000)", "h(x, s=50000)"),
        wrong=True,
    ),
    _case(
        "a lock", _factory("with lock:\n    return x * s", before="lock = threading.Lock()") + MADE, "REFUSED", "`lock`"
    ),
    _case(
        "an open file",
        _factory("return x * s * len(file.name)", before="file = open(__file__)") + MADE,
        "REFUSED",
        "`file`",
    ),
    _case(
        "a traced value",
        "@jax.jit\ndef outer(y):\n"
        + "".join(f"    {line}\n" for line in _factory("return x * s + y").splitlines())
        + "    g = make()\n    return g(x, s=0.1) + g(x, s=0.2)\n",
        "REFUSED",
        calls=("outer(x)", "outer(x + 1)"),
    ),
    _case(
        "a variable written by the body",
        _factory("nonlocal k\nk += 1\nreturn x * s + k") + MADE,
        "REFUSED",
        wrong=True,
    ),
    _case(
        "a variable written by a helper",
        _factory("return x * s + up()", before="def up():\n    nonlocal k\n    k += 1\n    return k") + MADE,
        "REFUSED",
        wrong=True,
    ),
    _case("a print", _factory("print(end='')\nreturn x * s") + MADE, "REFUSED", "print"),
    _case(
        "a print in a lambda",
        "def make(k):\n    return jax.jit(lambda x, s: (print(end=''), x * s)[1], static_argnums=1)\ng = make(2)\n",
        "REFUSED",
        "print",
        calls=("g(x, 0.1)", "g(x, 0.2)"),
        function="<lambda>",
    ),
    _case(
        "a method of a decorated class made inside",
        "import dataclasses\ndef make(k):\n    @dataclasses.dataclass(eq=False)\n    class Model:\n        a: float\n"
        "        @functools.partial(jax.jit, static_argnums=(0, 2))\n        def f(self, x, s):\n"
        "            return x * s * k + self.a\n    return Model(5.0)\nmodel = make(2)\n",
        "REFUSED",
        "under a decorator",
        calls=("model.f(x, 0.1)", "model.f(x, 0.2)"),
    ),
    _case(
        "a branch on what was bound anew",
        "def make(k):\n    @jax.jit\n    def f(x, t):\n        if t > k:\n            x = x * 2\n        return x\n"
        "    def change(v):\n        nonlocal k\n        k = v\n    changes.append(change)\n    return f\n"
        "g = make(2)\ndef h(x, t):\n    changes[0](t + 1)\n    return g(x, t)\n",
        "REJECTED",
        "changed between the recorded calls",
        calls=("h(x, 1.0)", "h(x, 3.0)"),
        kind="cond",
        wrong=True,
    ),
)

CASES = HELD + UNPATCHED + TRAPS
