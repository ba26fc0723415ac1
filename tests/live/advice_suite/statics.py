"""Static arguments: which are data, which decide nothing, which are right as they are, and which only look like data.

One line for each way a static value can be used. `x`, `m` and `i` are a vector, a matrix and whole numbers.
"""

from __future__ import annotations

from .case import Case

_DATA = (
    "x = jnp.linspace(0.1, 3.0, 7)\nm = jnp.ones((4, 5))\ni = jnp.arange(7)\nh = x.astype(jnp.bfloat16)\n"
    "z = jnp.array([0.0, -1.0, 2.0])\nkey = jax.random.key(0)\n"
)


def _case(
    name, body, values, expected, because="", *, given="x", path="s", wrong=False, before="", kind="make-dynamic"
):
    """A function of `given` and a static, called with each value. `body` is one expression, or several lines."""
    lines = body if "\n" in body else f"return {body}"
    inner = "".join(f"    {line}\n" for line in lines.strip("\n").split("\n"))
    source = (
        f"{_DATA}{before}\n@functools.partial(jax.jit, static_argnames={path!r})\ndef f({given}, *, {path}):\n{inner}"
    )
    calls = tuple(f"f({given}, {path}={value})" for value in values)
    return Case(name, kind, source, calls, expected, because, path=path, wrong=wrong)


def _proven(name, body, values, **more):
    return _case(name, body, values, "PROVEN", **more)


def _wrong(name, body, values, because, **more):
    """The change would be wrong on some call: it must be rejected."""
    return _case(name, body, values, "REJECTED", because, wrong=True, **more)


def _host(name, body, values, because, **more):
    """One step needs the Python value; the programs differ in constants alone."""
    return _case(name, body, values, "REJECTED", because, **more)


def _static(name, body, values, **more):
    """The value decides the program: nothing is to be said."""
    return _case(name, body, values, "NONE", **more)


def _refused(name, body, because, *, before=""):
    """The function does more than compute: it is not run again."""
    return _case(name, body, ["0.1", "0.2"], "REFUSED", because, before=before)


def _unused(name, body, values, **more):
    return _case(name, body, values, "PROVEN", "does not depend", kind="drop-static", **more)


PROVEN = (
    _proven("a factor, float", "jnp.sin(x) * s", ["0.5", "2.0", "3.0"]),
    _proven("a factor, whole", "jnp.sin(x) * s", ["2", "3", "7"]),
    _proven("a divisor", "x / s", ["3.0", "7.0", "10.0"]),
    _proven("whole numbers multiplied", "i * s", ["2", "3"], given="i"),
    _proven("whole numbers divided", "i / s", ["2", "3"], given="i"),
    _proven("a sum and a product", "x * s + s", ["0.5", "0.25"]),
    _proven("Python arithmetic that both do alike", "x * (1.0 / (s * (s + 1)))", ["3", "7"]),
    _proven("floor and remainder", "x * (s // 2) + s % 3", ["5", "7"]),
    _proven("an epsilon", "x / jnp.sqrt(jnp.mean(x ** 2) + s)", ["1e-6", "1e-5"]),
    _proven("a learning rate", "x - s * jax.grad(lambda v: jnp.sum(v ** 2))(x)", ["0.1", "0.05", "0.025"]),
    _proven("half precision stays", "h * s", ["0.1", "0.3"], given="h"),
    _proven("half precision, host sums", "h * (1 - s) + s * s", ["0.5", "0.25"], given="h"),
    _proven("a dropout rate", "jnp.where(jax.random.bernoulli(key, 1 - s, x.shape), x / (1 - s), 0)", ["0.5", "0.25"]),
    _proven("a fill value", "jnp.full(3, s) + x[0]", ["2", "4"]),
    _proven("a conversion", "jnp.asarray(s, jnp.float32) * x", ["2", "4"]),
    _proven("an array of it", "jnp.array([s, 1.0]) * x[:2]", ["2.5", "4.5"]),
    _proven("a bound to clip at", "jnp.clip(x, s, 2.0)", ["0.5", "1.0"]),
    _proven("captured by a scan", "lax.scan(lambda c, v: (jnp.where(v > s, c + v, c), c), 0.0, x)", ["0.5", "1.0"]),
    _proven(
        "captured by a while loop", "lax.while_loop(lambda c: jnp.max(c) > s, lambda c: c * 0.5, x)", ["0.1", "0.3"]
    ),
    _proven("captured by a cond", "lax.cond(x.sum() > 0, lambda v: v * s, lambda v: v + s, x)", ["0.3", "0.7"]),
    _proven("captured by map", "lax.map(lambda v: v * s + 1, x)", ["0.3", "0.7"]),
    _proven("captured by vmap", "jax.vmap(lambda v: v * s)(x)", ["0.3", "0.7"]),
    _proven("captured by remat", "jax.checkpoint(lambda v: jnp.sin(v * s))(x)", ["0.3", "0.7"]),
    _proven("a mask by position", "jnp.where(jnp.arange(x.shape[0]) < s, x, 0).sum()", ["3", "5"]),
    _proven("a place to write to", "x.at[s].set(0.0)", ["1", "2"]),
    _proven("a place to add to", "x.at[s].add(1.0)", ["1", "2"]),
    _proven("a tuple of numbers", "x * s[0] + s[1]", ["(1, 2)", "(3, 4)"]),
    _proven("a nested tuple", "x * s[0][0] + s[1]", ["((1.5, 2), 3)", "((2.5, 4), 5)"]),
    _proven("a flag in where", "jnp.where(s, x, -x)", ["True", "False"]),
    _proven("a flag in cond", "lax.cond(s, jnp.sin, jnp.cos, x)", ["True", "False"]),
    _proven("a flag as a factor", "x * s", ["True", "False"]),
    _proven("an index in switch", "lax.switch(s, [jnp.sin, jnp.cos, jnp.tan], x)", ["0", "1", "2"]),
    _proven("a seed", "x + jax.random.normal(jax.random.key(s), x.shape)", ["0", "1"]),
    _proven("a step to fold in", "x + jax.random.normal(jax.random.fold_in(key, s), x.shape)", ["0", "1", "2"]),
    _proven("a schedule", "x * jnp.minimum(1.0, (s + 1) / 100) * 0.5", ["0", "1"]),
    _proven("an end of linspace", "x * jnp.linspace(0.0, s, 7)", ["1", "2"]),
    _proven("a start of dynamic_slice", "lax.dynamic_slice(x, (s,), (3,))", ["1", "2"]),
    _proven("a class for one_hot", "jax.nn.one_hot(s, 12) * x[0]", ["10", "11"]),
    _proven("a slope of leaky_relu", "jax.nn.leaky_relu(x, s)", ["0.1", "0.3"]),
    _proven("an argument of an inner jit", "jax.jit(lambda v, q: v * q + 1)(x, s)", ["0.1", "0.3"]),
    _proven("half precision and a strong scalar", "h * s", ["np.float32(0.1)", "np.float32(0.3)"], given="h"),
    _proven("the name of a scope", "with jax.named_scope(f'scale_{s}'):\n    return x * s", ["0.5", "0.3"]),
    _proven("a threshold that is compared", "jnp.sum(x > s)", ["0.5", "1.0"]),
    _proven("round of Python", "x * round(s, 3)", ["0.1", "0.3"]),
    _proven("a quotient of host sums", "x * (1 - s) / (1 - s ** 3)", ["0.1", "0.3"]),
    _proven("a temperature", "jax.nn.softmax(x / s)", ["0.5", "2.0"]),
    _proven(
        "not a number, at each call anew", "jnp.nan_to_num(x * s)", ["float('nan')", "float('nan')", "float('nan')"]
    ),
)

DROPPED = (
    _unused("a number that nothing reads", "x * 2", ["1", "2"]),
    _unused("a text that nothing reads", "jnp.sum(x)", ["'epoch-1'", "'epoch-2'", "'epoch-3'"]),
    _case(
        "a number that only picks the same branch",
        "x * 2 if s > -1 else x",
        ["1", "2"],
        "TESTED",
        "another value",
        kind="drop-static",
    ),
    _case(
        "a text that only picks the same branch",
        "x * 2 if s == 'a' else x",
        ["'b'", "'c'"],
        "TESTED",
        "another value",
        kind="drop-static",
    ),
)

WRONG = (
    _wrong("whole numbers that wrap", "x * (1.0 / (s * (s + 1)))", ["3", "50000"], "s` = 50000"),
    _wrong("one more than the largest", "x * ((s + 1) / 65536)", ["3", "2147483647"], "s` = 2147483647"),
    _wrong("larger than an integer of the device", "x * (s / 2 ** 20)", ["2 ** 20", "2 ** 33"], "too large"),
    _wrong("cancellation", "x / (1 - s)", ["0.5", "1 - 1e-8"], "1e-08"),
    _wrong("underflow", "x * (s * s * 1e50)", ["0.5", "1e-25"], "would use"),
    _wrong("overflow of a product", "x + (s * s) * 1e-60", ["0.5", "1e30"], "would use"),
    _wrong("isinstance", "x * s if isinstance(s, float) else x", ["0.1", "0.3"], "another one"),
    _wrong("the type by name", "x * s if type(s) is int else x", ["2", "3"], "another one"),
    _wrong("hasattr", "x + s if hasattr(s, 'shape') else x * s", ["2.0", "3.0"], "another one"),
    _wrong(
        "a try that hides the failure",
        "try:\n    t = float(s)\nexcept TypeError:\n    t = 1.0\nreturn x * t",
        ["2.0", "3.0"],
        "would use",
    ),
    _wrong(
        "the result's dtype",
        "h * (s if isinstance(s, float) else jnp.float32(s))",
        ["0.5", "0.25"],
        "type changes",
        given="h",
    ),
    _wrong(
        "the bound of a fori_loop", "lax.fori_loop(0, s, lambda k, c: jnp.sin(c) + k, x)", ["2", "3", "4"], "while loop"
    ),
)

HOSTED = (
    _host("math.sqrt", "x / math.sqrt(s)", ["3", "7"], "math.sqrt(s)"),
    _host("np.sqrt", "x / np.sqrt(s)", ["3", "7"], "np.sqrt(s)"),
    _host("math.log", "x * math.log(s)", ["3", "7"], "math.log(s)"),
    _host("np.float32", "h * np.float32(s)", ["0.1", "0.3"], "np.float32(s)", given="h"),
    _host("float()", "x * float(s)", ["2", "3"], "float(s)"),
    _host("max of Python", "x * max(s, 1)", ["2", "3"], "max(s, 1)"),
    _host("or", "x * (s or 1.0)", ["0.1", "0.3"], "Python value"),
    _host("a dictionary's key", "x * {0.1: 2.0, 0.3: 5.0}[s]", ["0.1", "0.3"], "Python value"),
    _host("an inner static", "jax.jit(lambda v, q: v * q + 1, static_argnums=1)(x, s)", ["0.1", "0.3"], "Python value"),
    _host("a chained comparison", "x * 2 * s if 0 < s < 1 else x", ["0.1", "0.3"], "Python value"),
    _host("an assertion", "assert s > 0\nreturn x * s", ["0.1", "0.3"], "Python value"),
    _host("a formatted text", "assert f'{s:.1f}'\nreturn x * s", ["0.1", "0.3"], "Python value"),
)

RIGHT = (
    _static("a size", "jnp.zeros(s) + x.sum()", ["3", "7"]),
    _static("an unrolled loop", "for k in range(s):\n    x = jnp.sin(x) + k\nreturn x", ["2", "3"]),
    _static("an if", "if s:\n    return x * 2\nreturn x", ["True", "False"]),
    _static("a mode by name", "x * 2 if s == 'a' else x", ["'a'", "'b'"]),
    _static("an axis", "m.sum(axis=s)", ["0", "1"], given="m"),
    _static("how many of top_k", "lax.top_k(x, s)", ["1", "2"]),
    _static("a slice", "x[:s].sum()", ["1", "2"]),
    _static("a dtype", "x.astype(s)", ["'float32'", "'bfloat16'"]),
    _static("a shape", "m.reshape(s)", ["(4, 5)", "(5, 4)"], given="m"),
    _static("None or a number", "x if s is None else x * s", ["0.1", "None"]),
    _static("an if on zero", "x if s == 0.0 else x * s", ["0.0", "0.5"]),
    _static("a length of arange", "jnp.arange(s) * x[0]", ["3", "5"]),
    _static("repetitions", "jnp.repeat(x, s)", ["2", "3"]),
    _static("a number of sections", "jnp.stack(jnp.split(x[:6], s))", ["2", "3"]),
)

OTHER = (
    _host("a power of a whole number", "x ** s", ["2", "3", "4"], "another program"),
    _host("an element", "x[s] * 2", ["1", "2", "3"], "a choice"),
    _host("a roll", "jnp.roll(x, s)", ["1", "2", "3"], "a choice"),
)

REFUSED = (
    _refused("a print in the body", "print(end='')\nreturn x * s", "print"),
    _refused("a count of traces outside", "global n\nn += 1\nreturn x * s", "outside", before="n = 0\n"),
    _refused("a list outside", "seen.append(1)\nreturn x * s", "seen", before="seen = []\n"),
    _refused("a message at run time", "jax.debug.callback(lambda v: None, x)\nreturn x * s", "effects"),
    _refused(
        "another program at each trace", "x * s + next(count)", "changes `count`", before="count = iter(range(99))\n"
    ),
    _refused("a clock", "x * s + time.time() % 1", "another answer", before="import time\n"),
    Case(
        "made inside another function",
        "make-dynamic",
        _DATA + "def make():\n    @functools.partial(jax.jit, static_argnames='s')\n    def f(x, s):\n"
        "        return x * s\n    return f\ng = make()\n",
        ("g(x, s=0.1)", "g(x, s=0.2)"),
        "PROVEN",
        path="s",
    ),
)

SITES = (
    Case(
        "by number, jitted elsewhere",
        "make-dynamic",
        _DATA + "def f(x, s):\n    return x * s\ng = jax.jit(f, static_argnums=(1,))\n",
        ("g(x, 0.1)", "g(x, 0.2)"),
        "PROVEN",
        path="s",
    ),
    Case(
        "one of two",
        "make-dynamic",
        _DATA + "@functools.partial(jax.jit, static_argnames=('s', 'mode'))\ndef f(x, s, mode='a'):\n"
        "    return x * s if mode == 'a' else x\n",
        ("f(x, s=0.1, mode='a')", "f(x, s=0.2, mode='a')", "f(x, s=0.1, mode='b')"),
        "PROVEN",
        path="s",
    ),
    Case(
        "both, in the same calls",
        "make-dynamic",
        _DATA + "@functools.partial(jax.jit, static_argnames=('s', 't'))\ndef f(x, s, t):\n    return x * s + t\n",
        ("f(x, s=0.1, t=1)", "f(x, s=0.2, t=2)", "f(x, s=0.3, t=3)"),
        "PROVEN",
        path="s, t",
    ),
    Case(
        "positional, with a default",
        "make-dynamic",
        _DATA + "@functools.partial(jax.jit, static_argnums=1)\ndef f(x, s=0.5):\n    return x * s\n",
        ("f(x)", "f(x, 0.1)", "f(x, 0.2)"),
        "PROVEN",
        path="s",
    ),
    Case(
        "a method",
        "make-dynamic",
        _DATA + "class Model:\n    @functools.partial(jax.jit, static_argnums=(0,), static_argnames='s')\n"
        "    def f(self, x, s):\n        return x * s\nmodel = Model()\n",
        ("model.f(x, s=0.1)", "model.f(x, s=0.2)"),
        "PROVEN",
        path="s",
    ),
    Case(
        "in several shapes",
        "make-dynamic",
        _DATA + "@functools.partial(jax.jit, static_argnames='s')\ndef f(x, s):\n    return x * s\n",
        ("f(x, s=0.1)", "f(x[:3], s=0.1)", "f(x, s=0.2)", "f(x[:3], s=0.2)"),
        "PROVEN",
        path="s",
    ),
)


def _concrete(name, body, calls, expected, because="", *, given="x, s"):
    """A function of arguments one of which Python must know."""
    lines = body if "\n" in body else f"return {body}"
    inner = "".join(f"    {line}\n" for line in lines.split("\n"))
    source = f"{_DATA}\n@jax.jit\ndef f({given}):\n{inner}"
    return Case(name, "make-static", source, tuple(calls), expected, because, path="s")


CONCRETE = (
    _concrete("a size", "jnp.zeros(s) + x.sum()", ["f(x, 3)", "f(x, 5)"], "TESTED", "2 values took 2 traces"),
    _concrete("a number of steps", "for k in range(s):\n    x = jnp.sin(x) + k\nreturn x", ["f(x, 3)"], "TESTED"),
    _concrete("a shape", "x.reshape(s, -1)", ["f(x, 7)", "f(x, 1)"], "TESTED", "decides a shape"),
    _concrete("how many of top_k", "lax.top_k(x, s)[0]", ["f(x, s=2)"], "TESTED"),
    _concrete("a flag that branches", "x * 2 if s else x", ["f(x, True)"], "TESTED"),
    _concrete("a mode by name", "x * 2 if s == 'a' else x", ["f(x, 'a')"], "REFUSED", "is no number"),
    _concrete("a number of data that branches", "x * 2 if s > 0.5 else x", ["f(x, 0.25)"], "NONE"),
    _concrete("an array that branches", "x * 2 if s.sum() > 0 else x", ["f(x, x)"], "NONE"),
    _concrete("a size with an effect", "print(end='')\nreturn jnp.zeros(s) + x.sum()", ["f(x, 3)"], "REFUSED", "print"),
    _concrete("a size that fails for another reason, too", "jnp.zeros(s) + x", ["f(x, 3)"], "REJECTED", "fails, too"),
)

MORE_SITES = (
    Case(
        "below another decorator",
        "make-dynamic",
        _DATA + "def doubled(g):\n    @functools.wraps(g)\n    def h(*args, **kwargs):\n"
        "        return 2*g(*args, **kwargs) if isinstance(kwargs['s'], float) else g(*args, **kwargs)\n    return h\n"
        "@functools.partial(jax.jit, static_argnames='s')\n@doubled\ndef f(x, s):\n    return x * s\n",
        ("f(x, s=0.1)", "f(x, s=0.2)"),
        "REJECTED",
        "",
        path="s",
        wrong=True,
    ),
    Case(
        "a global that changes",
        "make-dynamic",
        _DATA
        + "scale = 1.0\n@functools.partial(jax.jit, static_argnames='s')\ndef f(x, s):\n    return x * s * scale\n"
        "def g(x, s):\n    global scale\n    scale += 1.0\n    return f(x, s=s)\n",
        ("g(x, s=0.1)", "g(x, s=0.2)"),
        "REFUSED",
        "another program than the recorded one",
        path="s",
        wrong=True,
    ),
    Case(
        "lowered ahead of time, too",
        "make-dynamic",
        _DATA + "@functools.partial(jax.jit, static_argnames='s')\ndef f(x, s):\n    return x * s\n"
        "done = f.lower(x, s=0.5).compile()\n",
        ("f(x, s=0.1)", "f(x, s=0.2)", "f.lower(x, s=0.3).compile()(x)"),
        "REFUSED",
        "ahead of time",
        path="s",
        wrong=True,
    ),
    Case(
        "data and a name in the same calls",
        "make-dynamic",
        _DATA + "@functools.partial(jax.jit, static_argnames=('s', 'name'))\ndef f(x, s, name):\n    return x * s\n",
        ("f(x, s=0.1, name='a')", "f(x, s=0.2, name='b')", "f(x, s=0.3, name='c')"),
        "REJECTED",
        "saves nothing alone",
        path="name, s",
    ),
    Case(
        "jitted in another way",
        "make-dynamic",
        _DATA + "def f(x, s):\n    return x * s\nOPTIONS = {'static_argnames': 's'}\ng = jax.jit(f, **OPTIONS)\n",
        ("g(x, s=0.1)", "g(x, s=0.2)"),
        "REJECTED",
        "no patch",
        path="s",
    ),
)

CASES = CONCRETE + PROVEN + DROPPED + WRONG + HOSTED + OTHER + RIGHT + REFUSED + SITES + MORE_SITES
