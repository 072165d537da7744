#!/usr/bin/env python3
"""Proves that docs_rules.py finds each kind of mistake, in a small tree made for the purpose."""

import shutil
import tempfile
import unittest
from pathlib import Path

import docs_rules
import markdown_text
import zetl_options

MAIN = '''
/// Not a declaration: add(it).
void addSwitch(CLI::App& command, const char* name, bool& on) {
    command.add_flag_callback(
        name, [&on] { on = false; }, "Off");
}

void addTrace(CLI::App& app, const Line& line) {
    auto* command = app.add_subcommand("trace", "Record, then print; (a table)");
    command->add_option("-o,--output", file, "Where it goes");
    command->add_option("recording", directory, "A positional argument is not an option");
    addSwitch(*command, "--no-device", on);
}

void addPause(CLI::App& app, const char* name, const char* text) {
    auto* command = app.add_subcommand(name, text);
}

void addMetrics(CLI::App& app) {
    auto* metrics = app.add_subcommand("metrics", "Groups");
    auto* list = metrics->add_subcommand("list", "All of them");
    list->add_flag("--emulated,!--native", emulated, "Which devices");
}

void addCommands(CLI::App& app) {
    addTrace(app, line);
    addPause(app, "pause", "Stop, for now");
    addMetrics(app);
}
'''
REFERENCE = """# zetl

## Record a program: `zetl trace`

| option | what it does |
|---|---|
| `-o, --output FILE` | names the file |

- `--no-device` records calls only.

## Stop recording: `zetl pause DIR`

## `zetl metrics`

### `zetl metrics list`

- `--emulated`, `--native`: which devices
"""
TREE = {
    "README.md": "# Tools\n\nRead the [reference](docs/reference/zetl.md#record-a-program-zetl-trace).\n\n"
                 "```\nscripts/demo   # builds\nZETL_LOG=debug zetl trace -o FILE -- ./program --flag\n```\n",
    "CONTRIBUTING.md": "# Contributing\n\nTouch `source/zetl/main.cpp`. The variable ZETL_COLOUR.\n",
    "docs/reference/zetl.md": REFERENCE,
    "docs/measured/launches.md": "# Launches\n\nMeasured on 2026-11-27, on an EPYC 9005.\n",
    "docs/speed.md": "# Speed\n\nOn a Xeon, 2026-11-27:\n\n| kernel | ms |\n|---|---|\n| loop | 1 |\n",
    "source/zetl/main.cpp": MAIN,
    "source/log.cpp": 'getenv("ZETL_COLOUR");\n',
    "include/tools.h": "// Returns null if the device lacks it.\n",
    "scripts/demo": "",
    "layer/layer.cpp": "",
    "samples/demo.cpp": "",
}


class Docs(unittest.TestCase):
    def findings(self, changes=()):
        """What is found in the good tree after the changes, path -> content."""
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory).resolve()
            for path, text in {**TREE, **dict(changes)}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return [finding for rule in self.rules for finding in rule(root)]

    rules = [rule for rule in docs_rules.RULES if rule is not docs_rules.spelling]  # which starts a program each time

    def expect(self, wanted, changes):
        found = self.findings(changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(wanted, found[0])

    def page(self, text):
        return {"docs/page.md": f"# Page\n\n{text}\n"}

    def test_the_good_tree_has_no_findings(self):
        self.assertEqual(self.findings(), [])


class Names(Docs):
    def test_a_link_leads_somewhere(self):
        self.expect("docs/page.md:3: the link to away.md leads nowhere", self.page("See [this](away.md)."))

    def test_so_does_an_anchor(self):
        self.expect("has no heading for #stop", self.page("See [this](reference/zetl.md#stop)."))
        self.expect("page.md has no heading for #below", self.page("See [this](#below)."))

    def test_a_link_in_code_is_none(self):
        self.assertEqual(self.findings(self.page("`[a](b)` and\n\n    [a](b)")), [])

    def test_files_of_contributing_exist(self):
        self.expect("there is no source/gone.cpp",
                    {"CONTRIBUTING.md": "Touch `source/gone.cpp`. The variable ZETL_COLOUR.\n"})

    def test_variables_are_mentioned(self):
        self.expect("source/log.cpp: no page mentions ZETL_SHADE",
                    {"source/log.cpp": 'getenv("ZETL_SHADE"); getenv("ZETL_COLOUR");\n'})

    def test_scripts_are_mentioned(self):
        self.expect("scripts/fix: no page mentions it", {"scripts/fix": ""})


class Commands(Docs):
    def test_commands_that_are_not_found_are_a_finding(self):
        found = self.findings({"source/zetl/main.cpp": "int main() {\n    return 0;\n}\n"})
        self.assertIn("no command is found", "\n".join(found))

    def reference(self, old, new):
        self.assertIn(old, REFERENCE)
        return {"docs/reference/zetl.md": REFERENCE.replace(old, new)}

    def test_the_declarations_are_read(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "source/zetl").mkdir(parents=True)
            (Path(directory) / "source/zetl/main.cpp").write_text(MAIN)
            self.assertEqual(zetl_options.commands(Path(directory)),
                             {"trace": ["--no-device", "--output"], "pause": [], "metrics": [],
                              "metrics list": ["--emulated", "--native"]})

    def test_every_command_has_a_heading(self):
        self.expect("must name zetl pause; now: none", self.reference(": `zetl pause DIR`", ""))

    def test_only_one(self):
        self.expect("now: zetl.md, zetl.md", self.reference("## `zetl metrics`", "## Again `zetl pause`\n\n## `zetl metrics`"))

    def test_a_subcommand_does_not_stand_for_its_command(self):
        self.expect("must name zetl metrics; now: none", self.reference("## `zetl metrics`", "## Metrics"))

    def test_backquotes_are_not_needed(self):
        self.assertEqual(self.findings(self.reference("## `zetl metrics`", "## zetl metrics")), [])

    def test_every_option_is_defined(self):
        self.expect("zetl trace --no-device is defined 0 times", self.reference("- `--no-device` records", "- Records"))

    def test_only_once(self):
        self.expect("zetl trace --output is defined 2 times",
                    self.reference("- `--no-device` records", "- `--output` again\n- `--no-device` records"))

    def test_a_mention_is_no_definition(self):
        self.assertEqual(self.findings(self.reference("calls only.", "calls only, and `--output` says where.")), [])

    def test_a_section_without_a_command_is_for_all(self):
        moved = REFERENCE.replace("- `--emulated`, `--native`: which devices\n", "")
        common = "\n## Devices\n\n- `--emulated`, `--native`: which\n"
        self.assertEqual(self.findings({"docs/reference/zetl.md": moved + common}), [])
        self.assertEqual(self.findings({"docs/reference/zetl.md": REFERENCE + common}), [])

    def test_so_is_that_of_the_parent_for_its_subcommands(self):
        moved = REFERENCE.replace("- `--emulated`, `--native`: which devices\n", "")
        self.assertEqual(self.findings({"docs/reference/zetl.md": moved.replace(
            "## `zetl metrics`\n", "## `zetl metrics`\n\n- `--emulated`, `--native`: which\n")}), [])

    def test_commands_in_code_exist(self):
        self.expect("docs/page.md:4: zetl has no command record", self.page("```\nzetl record -- program\n```"))
        self.expect("zetl trace has no option --emulated", self.page("    $ A=1 P/bin/zetl trace --emulated -- program"))
        self.expect("zetl has no command record", self.page("Call `zetl record`."))
        self.expect("there is no scripts/fix", self.page("```\nsudo scripts/fix all\n```"))


class Prose(Docs):
    def test_lines_keep_within_the_columns(self):
        self.expect("docs/page.md:4: 104 columns", self.page("short\n" + "a word " * 14 + "at end"))

    def test_tables_code_and_single_words_may_be_longer(self):
        for text in ("| " + "a word " * 20 + "|", "```\n" + "a word " * 20 + "\n```", "x" * 120):
            self.assertEqual(self.findings(self.page(text)), [])

    def test_each_pattern_is_found(self):
        for sentence in ("Whoever knows it", "It ends. Who waits for it sleeps", "the thread who asks", "is told of a loss",
                         "It tells of it", "The loss is told", "a name that there is not", "the device has not",
                         "samples of the own process", "for want of memory", "it can be had by name", "one row an interval",
                         "a device such as X have it", "what is left is dropped", "gone after a second",
                         "Xe code is known; of NVIDIA's, in cubins, the blocks are", "Record a process for so long",
                         "It tells those who trace it", "It finds them from where it lies"):
            found = self.findings(self.page(f"{sentence}."))
            self.assertTrue(found and all("docs/page.md:3" in finding for finding in found), (sentence, found))

    def test_a_phrase_across_two_lines_is_found_where_it_begins(self):
        self.expect("docs/page.md:4: 'for want of'", self.page("This fails\nin places for want\nof memory."))

    def test_plain_english_is_not(self):
        for sentence in ("It has not been read", "It has not yet begun", "Who are you", "a row of a table", "`for want of`"):
            self.assertEqual(self.findings(self.page(f"{sentence}.")), [])

    def test_headers_are_read(self):
        self.expect("include/tools.h:2: 'for want of'", {"include/tools.h": "// Null\n// for want of memory.\n"})

    def test_dates_and_hosts_stay_in_measured(self):
        for words in ("since 2026-11-27", "August 2026's programs", "on a Xeon"):
            self.expect("belongs to docs/measured/", self.page(f"It is fast {words}."))

    def test_one_table_may_have_them(self):
        table = "On an EPYC:\n\n| kernel | ms |\n|---|---|\n| loop | 1 |\n"
        self.assertEqual(self.findings(self.page(table)), [])
        self.expect("docs/page.md:9", self.page(f"{table}\n{table}"))


@unittest.skipUnless(shutil.which("codespell"), "codespell is not installed")
class Spelling(Docs):
    rules = [docs_rules.spelling]

    def test_a_misspelt_word_is_found(self):
        self.expect("docs/page.md:3: recieve ==> receive", self.page("A device can recieve data."))


class Markdown(unittest.TestCase):
    def test_anchors_are_those_of_github(self):
        text = "# A page: `zetl trace`\n## What's new?\n## What's new?\n```\n# no heading\n```\n"
        self.assertEqual(list(markdown_text.anchors(text)), ["a-page-zetl-trace", "whats-new", "whats-new-1"])

    def test_blocks(self):
        text = "# Title\ntext\n| a |\n\n    code\n\n```\n# code\n```\n"
        self.assertEqual([(block.kind, block.first_line) for block in markdown_text.blocks(text)],
                         [("heading", 1), ("text", 2), ("table", 3), ("code", 5), ("code", 7)])


if __name__ == "__main__":
    unittest.main()
