"""Whether a report says what an expect.toml wants. Each check answers with "" or with what it found instead."""


def functions(report, name):
    """The functions of a name, or with a qualname that ends in it; the user's own where there are such."""
    found = [f for f in report["functions"] if name in (f["name"], f["qualname"]) or f["qualname"].endswith(f".{name}")]
    return [f for f in found if f["origin"] == "user"] or found


def _one_of(wanted, value):
    return value in wanted if isinstance(wanted, list) else value == wanted


def cause(report, want):
    later = [
        spec
        for function in functions(report, want["function"])
        for spec in function["specializations"]
        if spec["cause"]["kind"] != "first"
    ]
    matching = [spec for spec in later if _stage(spec, want) and _delta(spec, want) and _change(spec, want)]
    if len(matching) >= want.get("at_least", 1):
        return ""
    return f"{[(spec['cause'], spec['program']['delta'], spec['stages']) for spec in later[:4]]}"


def _stage(spec, want):
    return "stage" not in want or ("trace" in spec["stages"]) == (want["stage"] == "trace")


def _delta(spec, want):
    return "delta" not in want or _one_of(want["delta"], spec["program"]["delta"])


def _change(spec, want):
    return any(
        _one_of(want["kind"], change["kind"])
        and ("path" not in want or _one_of(want["path"], change["path"]))
        and all(want.get(side, "") in str(change[side]) for side in ("old", "new"))
        for change in spec["cause"]["changes"]
    )


def finding(report, want):
    pool = functions(report, want["function"]) if "function" in want else report["functions"]
    said = [(found["code"], found["path"]) for function in pool for found in function["findings"]]
    for code, path in said:
        if _one_of(want["code"], code) and ("path" not in want or _one_of(want["path"], path)):
            return ""
    return str(said) or "nothing"


def count(report, want):
    found = functions(report, want["function"])
    got = {key: sum(f[key] for f in found) for key in ("traces", "compiles", "calls") if key in want}
    return "" if found and all(got[key] == want[key] for key in got) else str(got)


def quiet(report, want):
    found = functions(report, want["function"])
    said = [(one["code"], one["text"]) for function in found for one in function["findings"]]
    return "" if found and not said else str(said or "no such function")


def failure(report, want):
    said = [(found["error"], found["code"]) for found in report["failures"]]
    return "" if any(_one_of(want["code"], code) for _, code in said) else str(said)


CHECKS = {"cause": cause, "finding": finding, "count": count, "quiet": quiet, "failure": failure}
