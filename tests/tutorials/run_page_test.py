#!/usr/bin/env python3
"""run_page.py finds the mistakes that a page can have, and passes over what may differ."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN_PAGE = Path(__file__).parent / "run_page.py"


class RunPage(unittest.TestCase):
    def run_page(self, text):
        with tempfile.TemporaryDirectory() as name:
            page = Path(name) / "page.md"
            page.write_text(text)
            return subprocess.run([sys.executable, RUN_PAGE, page, "--root", name], capture_output=True, text=True, check=False)

    def accepts(self, *lines):
        run = self.run_page("\n".join(lines))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def rejects(self, *lines):
        run = self.run_page("\n".join(lines))
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)

    def test_numbers_units_and_directories_may_differ(self):
        self.accepts("```", "$ echo took 3.1 ms for 12 KiB at 0x7f00 in /tmp/a/b.cl:4", "took 77 us for 9 MB at 0x1 in /src/b.cl:12", "```")

    def test_words_may_not(self):
        self.rejects("```", "$ echo right", "wrong", "```")

    def test_lines_may_be_left_out_where_the_page_says_so(self):
        self.accepts("```", "$ seq 9 | sed s/^/line/", "line1", "...", "line9", "```")
        self.rejects("```", "$ echo one; echo two", "one", "```")

    def test_whole_numbers_below_the_comment_are_exact(self):
        self.rejects("<!-- exact -->", "```", "$ echo 8", "9", "```")
        self.accepts("<!-- exact -->", "```", "$ echo 8 after 1.5 ms", "8 after 2.5 ms", "```")

    def test_lines_below_the_comment_may_come_in_any_order(self):
        self.accepts("<!-- any order -->", "```", "$ echo one; echo two; echo three", "three", "one", "```")
        self.rejects("<!-- any order -->", "```", "$ echo one; echo two", "three", "one", "```")

    def test_a_failure_is_one_unless_the_page_looks_at_it(self):
        self.rejects("```", "$ false", "```")
        self.accepts("```", "$ false", "$ echo $?", "1", "```")

    def test_the_shell_remembers(self):
        self.accepts("```", "$ mkdir below && cd below && export WORD=kept", "$ echo $WORD in $(basename $PWD)", "kept in below", "```")

    def test_files_are_written_where_the_shell_is(self):
        self.accepts("```", "$ mkdir below && cd below", "```", "", "```text words.txt", "two words", "```", "", "```", "$ cat ../below/words.txt", "two words", "```")

    def test_a_page_without_commands_is_a_mistake(self):
        self.rejects("words")

    def test_debugger_lines_are_typed(self):
        self.accepts("```", "$ sed s/^/got:/", "(zetl) first", "got:first", "(zetl) second", "got:second", "```")


if __name__ == "__main__":
    unittest.main()
