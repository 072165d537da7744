#!/usr/bin/env python3
"""Opens a page of `zetl report --html` in a browser without a screen, at two widths and in both colour schemes.

    page_browser_test.py ZETL PROGRAM

Skipped (77) if no Chromium is installed. The browser may not use a network: the page needs none.
"""

import html
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
WIDTHS = (1200, 480)
# What a person does, and what is then to be seen. Runs after the page's own script.
PROBE = """
<script>
const seen = { errors, width: innerWidth, beyond: document.documentElement.scrollWidth - innerWidth };
const canvas = document.querySelector('#timeline canvas'), picked = document.querySelector('.picked');
const press = key => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const painted = () => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
seen.colours = painted();
press('n');
seen.first = picked.textContent;
press('n');
seen.second = picked.textContent;
press('p');
seen.back = picked.textContent;
const whole = canvas.toDataURL();
press('+');
seen.zooms = canvas.toDataURL() !== whole;
press('0');
seen.returns = canvas.toDataURL() === whole;
const head = document.querySelector('#calls th.n'), column = [...head.parentElement.cells].indexOf(head);
const values = () => [...head.closest('table').tBodies[0].rows].map(row => +row.cells[column].dataset.v);
head.querySelector('button').click();
seen.sorted = [head.getAttribute('aria-sort'), values()];
head.querySelector('button').click();
seen.reversed = [head.getAttribute('aria-sort'), values()];
const root = document.querySelector('.flame .frame'), box = frame => frame.getBoundingClientRect();
root.focus();
const move = key => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
move('ArrowDown');
move('ArrowDown');
seen.frame = document.querySelector('.flame .picked').textContent;
const inner = [...document.querySelectorAll('.flame .frame')].filter(frame => box(frame).width < box(root).width / 2)[0];
if (inner) inner.click();
seen.enlarged = inner ? Math.abs(box(inner).width - box(root).width) < 2 : 'no frame is narrow';
move('ArrowUp');
root.click();
seen.shrunk = !inner || box(inner).width < box(root).width / 2;
seen.points = document.querySelectorAll('.roofline circle').length;
seen.drawn = document.querySelector('.roofline').getBoundingClientRect().width;
seen.background = getComputedStyle(document.body).backgroundColor;
seen.sections = [...document.querySelectorAll('section')].map(section => section.id);
const result = document.createElement('pre');
result.id = 'seen';
result.textContent = JSON.stringify(seen);
document.body.append(result);
</script>
"""
TRAP = "<script>const errors = []; addEventListener('error', event => errors.push(event.message));</script>"


def probed(page):
    return page.replace("<head>", "<head>" + TRAP, 1).replace("</body>", PROBE + "</body>", 1)


def start(browser, page, width, dark, profile):
    return subprocess.Popen(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}",
         f"--window-size={width},900", f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom",
         page.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip


def seen_by(process):
    text, messages = process.communicate(timeout=120)
    found = re.search(r'<pre id="seen">(.*?)</pre>', text, re.DOTALL)
    if not found:
        sys.exit(f"the page's probe did not run to its end:\n{messages[-2000:]}\n{text[-2000:]}")
    return json.loads(html.unescape(found.group(1)))


def faults(seen):
    first, second = seen["first"], seen["second"]
    rules = {
        "the page's scripts fail": not seen["errors"],
        "the page is wider than the window": seen["beyond"] <= 0,
        "the timeline is empty": seen["colours"] > 4,
        "n selects no slice": " from " in first,
        "n twice selects no other slice": second != first,
        "p does not go back": seen["back"] == first,
        "+ does not zoom": seen["zooms"],
        "0 does not show everything": seen["returns"],
        "a click does not sort": seen["sorted"] == ["descending", sorted(seen["sorted"][1], reverse=True)],
        "a second click does not sort": seen["reversed"] == ["ascending", sorted(seen["sorted"][1])],
        "arrow keys do not reach a source line": " samples" in seen["frame"] and ":" in seen["frame"],
        "a click does not enlarge a frame": seen["enlarged"] is True,
        "the outermost frame does not show all": seen["shrunk"],
        "the roofline has no point": seen["points"] > 0,
        "the roofline is wider than the window": 0 < seen["drawn"] <= seen["width"],
        "the order of sections": seen["sections"][:3] == ["overview", "timeline", "kernels"],
    }
    return [name for name, holds in rules.items() if not holds]


def main(zetl, program):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        print("Skipped: no Chromium is installed; try: apt-get install chromium")
        return SKIPPED
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory) / "page.html"
        kept = f"{directory}/run"
        for command in ("metrics query", "stalls", "trace -o ''"):
            subprocess.run([zetl, *shlex.split(command), "--emulated", "--device", "tiny", "--recording", kept, "--", program],
                           check=True, capture_output=True, timeout=120)  # fmt: skip
        subprocess.run([zetl, "report", kept, "-o", "", "--html", page], check=True, capture_output=True, timeout=120)
        page.write_text(probed(page.read_text(encoding="utf-8")), encoding="utf-8")
        cases = [(WIDTHS[0], False), (WIDTHS[1], True)]
        running = [start(browser, page, width, dark, f"{directory}/{width}") for width, dark in cases]
        seen = [seen_by(process) for process in running]
    found = [f"{width} pixels, {'dark' if dark else 'light'}: {fault}: {one}" for (width, dark), one in zip(cases, seen) for fault in faults(one)]
    if seen[0]["background"] == seen[1]["background"]:
        found.append(f"both colour schemes look alike: {seen[0]['background']}")
    print("\n".join(found) or f"{browser}: nothing to object to")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
