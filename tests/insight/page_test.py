#!/usr/bin/env python3
"""The page of `pykc analyze --html` in a headless browser: page_driver.js asks it. usage: page_test.py PYKC

The source is a stranger's, who would like the page to run something of his. Exit code 77: no browser is installed."""
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
HOSTILE = ("</script><script>executed = true</script><img src=x onerror='executed = true'> & \"quoted\" <!-- \u2028 "
           "@DATA@")
SOURCE = f'''from pykc import *
from pykc.reduce import block_sum


@kernel
def scale(out: f32[:], x: f32[:], a: f32):
    i = grid(1)
    if i < len(out):  # {HOSTILE}
        out[i] = a * x[7 * i]


@kernel
def sums(out: f32[:], x: f32[:]):
    part = shared.array(64, f32)
    value = f32(0)
    for i in range(grid(1), len(x), gridsize(1)):
        value += x[i]
    total = block_sum(part, value)
    if threadIdx.x == 0:
        out[blockIdx.x] = total


def main():
    x = random(7 * 4096, f32, seed=1)
    scale[64, 64](zeros(4096, f32), x, f32(2))
    sums[16, 64](zeros(16, f32), x)
'''


def main(pykc: str) -> int:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"skipped: the page is tested in a browser, and none of {', '.join(BROWSERS)} is installed")
        return 77
    driver = pathlib.Path(__file__).with_name("page_driver.js").read_text()
    with tempfile.TemporaryDirectory() as folder:
        source, page = pathlib.Path(folder, "<b>&'s.pyk"), pathlib.Path(folder, "page.html")
        source.write_text(SOURCE)
        subprocess.run([pykc, "analyze", str(source), "--html", str(page)], check=True, stdout=subprocess.DEVNULL)
        text = page.read_text()
        assert set(re.findall("http.{8}", text)) <= {'http-equiv="', "http://www.w"}, "it loads something"
        errors = "<script>errors = []; onerror = message => { errors.push(message); };</script>"
        text = text.replace("<head>", "<head>" + errors)
        page.write_text(text.replace("</body>", f"<script>{driver}</script></body>"))
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                   "--window-size=1600,1200", "--dump-dom", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "HOME": folder})
    found = re.search(r'<pre id="outcome">(.*?)</pre>', done.stdout, re.DOTALL)
    outcome = html.unescape(found[1]) if found else f"the driver did not end\n{done.stderr[-2000:]}"
    print(outcome)
    return 0 if outcome.endswith("all hold") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
