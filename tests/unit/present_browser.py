"""A real Chromium, driven through its debugging pipe: it needs no port, no network and no driver."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
)  # fmt: skip
# The browser wants its pipe at the numbers 3 and 4.
START = """import fcntl, os, sys
ends = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 20) for each in sys.argv[1:3]]
os.dup2(ends[0], 3), os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])"""


class Browser:
    """One browser with one page; `faults` are uncaught errors and what went to the console as a warning or error."""

    def __init__(self, folder):
        ours, theirs = os.pipe(), os.pipe()
        command = [sys.executable, "-c", START, str(ours[0]), str(theirs[1]), BROWSER, *FLAGS]
        log = (folder / "browser.log").open("wb")
        self.process = subprocess.Popen(
            [*command, f"--user-data-dir={folder / 'profile'}"], pass_fds=(ours[0], theirs[1]), stdout=log, stderr=log
        )
        log.close()
        os.close(ours[0])
        os.close(theirs[1])
        self.write, self.read = ours[1], theirs[0]
        self.buffer, self.number, self.faults, self.session = b"", 0, [], None
        self.loaded = False
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(120)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write)
        os.close(self.read)

    def send(self, method, **params):
        """Send one command and wait for its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self, timeout=300):
        """The next message; events are taken note of."""
        until = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.read, 1 << 16)
            if not piece:
                raise EOFError("the browser has ended")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        self.event(message.get("method"), message.get("params", {}))
        return message

    def event(self, method, params):
        """Note errors, and that a page has loaded."""
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            self.faults.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.faults.append(str([each.get("value") for each in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.faults.append(params["entry"]["text"])

    def open(self, path, *, width=1200, height=900, fragment="", theme="light"):
        """Open a file in a window of this size."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        for url in ("about:blank", f"file://{path}{fragment}"):  # from the same file it would only jump
            self.loaded = False
            self.send("Page.navigate", url=url)
            while not self.loaded:
                self.receive()

    def do(self, script):
        """Run the body of an async function in the page, and give what it returns."""
        answer = self.send(
            "Runtime.evaluate", expression=f"(async () => {{ {script} }})()", awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key, **more):
        """Press and let go a key, as a person does."""
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def picture(self, path):
        """Save what the window shows."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))
