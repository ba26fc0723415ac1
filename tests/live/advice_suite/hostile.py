"""Functions that do more than compute, in places where their own source does not show it; and odd ways to write one."""

from __future__ import annotations

from .case import Case

_DATA = "x = jnp.linspace(0.1, 3.0, 7)\ni = jnp.arange(7)\n"
_JIT = "@functools.partial(jax.jit, static_argnames='s')\n"
_TWICE = ("f(x, s=0.1)", "f(x, s=0.2)")
_BY_H = ("h(x, 0.1)", "h(x, 0.2)")
_OTHER_ARRAYS = "at a later call: traced less often, it would go on with the old one"


def _case(name, source, expected, because="", calls=_TWICE, *, wrong=False):
    return Case(name, "make-dynamic", _DATA + source, calls, expected, because, path="s", wrong=wrong)


def _rebound(name, before, read, change):
    """An array that `f` reads from outside is another, or has other contents, at each call."""
    source = f"{before}\n{_JIT}def f(x, s):\n    return x * s + {read}\ndef h(x, s):\n{change}    return f(x, s=s)\n"
    return _case(name, source, "REFUSED", _OTHER_ARRAYS, _BY_H, wrong=True)


def _doing(name, helper, call, because, before=""):
    """A helper that `f` calls does something beside computing."""
    body = "".join(f"    {line}\n" for line in helper.split("\n"))
    source = f"{before}\ndef helper(x, s):\n{body}    return x\n{_JIT}def f(x, s):\n    return {call} * s\n"
    return _case(name, source, "REFUSED", because, wrong=True)


CASES = (
    _rebound("a global array bound anew", "w = x", "w", "    global w\n    w = w * 2\n"),
    _rebound("an array in a global dictionary", "p = {'w': x}", "p['w']", "    p['w'] = p['w'] * 2\n"),
    _rebound("an array of NumPy's bound anew", "w = np.arange(7.0)", "w", "    global w\n    w = w + s\n"),
    _rebound("an array in a class", "class C:\n    w = x", "C.w", "    C.w = C.w * 2\n"),
    _case(
        "a global array that was another, and the same at each call",
        f"w = x\n{_JIT}def f(x, s):\n    return x * s + w\nw = w * 2\ndef h(x, s):\n    global w\n    w = x + 7\n"
        "    return f(x, s=s)\n",
        "TESTED",
        "without the recorded contents of the arrays that it closes over",
        _BY_H,
    ),
    _doing("a helper that prints", "print(end=' ')", "helper(x, s)", "prints while it is traced"),
    _doing("a helper that logs", "logging.getLogger('a').error('b')", "helper(x, s)", "logs", "import logging"),
    _doing("a helper that appends", "seen.append(s)", "helper(x, s)", "changes `seen`", "seen = []"),
    _doing("a helper that counts in a class", "C.n += 1", "helper(x, s)", "changes `C.n`", "class C:\n    n = 0"),
    _doing(
        "a helper that sets an attribute",
        "c.last = str(s)",
        "helper(x, s)",
        "changes `c`",
        "class C:\n    last = ''\nc = C()",
    ),
    _doing("a helper that writes a file", "open(os.devnull, 'w').close()", "helper(x, s)", "writes", "import os"),
    _case(
        "a value that is caught",
        _JIT
        + "def f(x, s):\n    try:\n        s = float(s)\n    except Exception:\n        s = 7.0\n    return x * s\n",
        "REJECTED",
        "asks what `s` is",
        wrong=True,
    ),
    _case(
        "an attribute that only traced values have",
        _JIT + "def f(x, s):\n    return x * s if not hasattr(s, 'aval') else x * 2\n",
        "REJECTED",
        "asks what `s` is",
        wrong=True,
    ),
    _case(
        "a positional-only static",
        "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, s, /):\n    return x * s\n",
        "PROVEN",
        calls=("f(x, 0.1)", "f(x, 0.2)"),
    ),
    _case("a keyword-only static with a default", _JIT + "def f(x, *, s=0.3):\n    return x * s\n", "PROVEN"),
    _case(
        "mapped below the jit",
        "@functools.partial(jax.jit, static_argnums=1)\n@functools.partial(jax.vmap, in_axes=(0, None))\n"
        "def f(x, s):\n    return x * s\n",
        "PROVEN",
        calls=("f(x, 0.1)", "f(x, 0.2)"),
    ),
    _case(
        "numbers from a fixed seed",
        _JIT + "def f(x, s):\n    return x * s + np.random.RandomState(3).rand(7)\n",
        "PROVEN",
    ),
    _case(
        "an argument of a function with a rule of its own",
        "@jax.custom_vjp\ndef c(x, s):\n    return x * s\n"
        "c.defvjp(lambda x, s: (x * s, s), lambda s, g: (g * s, None))\n" + _JIT + "def f(x, s):\n    return c(x, s)\n",
        "PROVEN",
    ),
    _case(
        "an argument that such a rule takes as configuration",
        "@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))\ndef c(x, s):\n    return x * s\n"
        "c.defvjp(lambda x, s: (x * s, None), lambda s, r, g: (g * s,))\n"
        + _JIT
        + "def f(x, s):\n    return c(x, s)\n",
        "REJECTED",
        "needs `s` as a Python value",
    ),
)
