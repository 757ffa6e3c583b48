"""A headless Chromium, driven over the WebDriver protocol by nothing but the standard library."""

import base64
import json
import os
import re
import subprocess
import tempfile
import urllib.error
import urllib.request


class Browser:
    """One browser for many pages. As root in a bare container too: no sandbox, no shared memory file system."""

    def __init__(self, driver, chromium):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.log = open(os.path.join(self.folder.name, "driver"), "w+", encoding="utf-8")
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.base = ""
        for line in self.driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                self.base = f"http://127.0.0.1:{port[1]}"
                break
        if not self.base:
            self.close()
            raise RuntimeError(f"{driver} did not start")
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={self.folder.name}/profile"]
        try:
            session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"binary": chromium, "args": options}, "goog:loggingPrefs": {"browser": "ALL"}}}})
        except Exception:
            self.close()
            raise
        self.base += "/session/" + session["sessionId"]

    def close(self):
        if "/session/" in self.base:
            self.call("DELETE", "")
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        self.log.close()
        self.folder.cleanup()

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=240) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:2000]}") from error

    def open(self, path, fragment=""):
        """Loads a page anew, also if only its fragment differs."""
        self.call("POST", "/url", {"url": "about:blank"})
        self.console()
        self.call("POST", "/url", {"url": f"file://{path}{fragment}"})

    def run(self, script, *arguments):
        """The value of a function body in the page."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """The value that the function body's promise gives."""
        wrapped = "const done = arguments[arguments.length - 1]; (async (...args) => {" + script + "})(...arguments).then(done, (error) => done(String(error)));"
        return self.call("POST", "/execute/async", {"script": wrapped, "args": list(arguments)})

    def console(self):
        """What the page wrote since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def media(self, media="", scheme="light"):
        self.devtools("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, whole=False):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.devtools("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))
