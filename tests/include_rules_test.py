#!/usr/bin/env python3
"""Proves that include_rules.py finds each kind of forbidden edge, in small trees made for the purpose."""

import tempfile
import unittest
from pathlib import Path

import include_rules

TABLE = """
| directory | what it is | may include |
|---|---|---|
| `source/base/` | ground | – |
| `source/tracing/`, `metrics/` | modules | base |
| `source/emulator/isa/` | machine code | base |
| `layer/` | all of it | all |
"""
TREE = {
    "docs/architecture.md": TABLE,
    "source/base/CMakeLists.txt": "zetl_component(base SOURCES log.cpp)",
    "source/base/log.h": "#include <string>\n",
    "source/tracing/CMakeLists.txt": "zetl_component(tracing SOURCES tracer.cpp LINKS base PRIVATE_LINKS spdlog::spdlog)",
    "source/tracing/tracer.cpp": '#include "tracing/tracer.h"\n#include "base/log.h"\n#include <level_zero/ze_api.h>\n',
    "source/metrics/CMakeLists.txt": "zetl_component(metrics\n    SOURCES group.cpp\n    LINKS base)",
    "source/metrics/group.h": "#pragma once\n",
    "source/emulator/isa/CMakeLists.txt": "zetl_component(isa SOURCES decode.cpp LINKS base)",
    "samples/demo/main.cpp": '#include <level_zero/ze_api.h>\n#include "part.h"\n',
    "samples/demo/part.h": "",
    "source/zetl/main.cpp": '#include <level_zero/ze_api.h>\n#include "doctor/finding.h"\n',
    "source/zetl/doctor/finding.h": "",
}


class IncludeRules(unittest.TestCase):
    def findings(self, **changes):
        """What is found in the good tree after the changes, given as path (with __ for /) and content."""
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            files = dict(TREE)
            files.update({path.replace("__", "/").replace("DOT", "."): text for path, text in changes.items()})
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return list(include_rules.findings(root))

    def expect(self, wanted, **changes):
        found = self.findings(**changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(wanted, found[0])

    def test_good_tree_has_no_findings(self):
        self.assertEqual(self.findings(), [])

    def test_module_must_not_include_module(self):
        self.expect("tracing does not link metrics", source__tracing__cheatDOTh='#include "metrics/group.h"\n')

    def test_angled_form_does_not_help(self):
        self.expect("tracing does not link metrics", source__tracing__cheatDOTh="  #  include <metrics/group.h>\n")

    def test_base_must_not_look_up(self):
        self.expect("base does not link tracing", source__base__logDOTh='#include "tracing/tracer.h"\n')

    def test_link_must_be_in_the_table(self):
        self.expect("links metrics", source__tracing__CMakeListsDOTtxt="zetl_component(tracing LINKS base metrics)")

    def test_link_by_command_counts_too(self):
        self.expect("links metrics", source__tracing__CMakeListsDOTtxt="zetl_component(tracing LINKS base)\n"
                    "target_link_libraries(zetl_tracing PRIVATE zetl::metrics)")

    def test_a_target_may_have_another_name_than_its_directory(self):
        self.assertEqual(self.findings(source__base__CMakeListsDOTtxt="zetl_component(ground SOURCES log.cpp)",
                                       source__tracing__CMakeListsDOTtxt="zetl_component(tracing LINKS ground)",
                                       source__metrics__CMakeListsDOTtxt="zetl_component(metrics LINKS ground)",
                                       source__emulator__isa__CMakeListsDOTtxt="zetl_component(isa LINKS ground)"), [])

    def test_cycle_is_found(self):
        found = self.findings(source__base__CMakeListsDOTtxt="zetl_component(base LINKS tracing)")
        self.assertTrue(any("base -> tracing -> base" in finding for finding in found), found)

    def test_directory_needs_a_row(self):
        self.expect("no row for source/pin/", source__pin__CMakeListsDOTtxt="zetl_component(pin LINKS base)")

    def test_machine_knows_no_level_zero(self):
        self.expect("knows no Level Zero", source__emulator__isa__decodeDOTh="#include <level_zero/ze_api.h>\n")
        self.expect("knows no Level Zero", source__emulator__isa__decodeDOTh='#include "base/result.h"\n')

    def test_samples_see_public_headers_only(self):
        self.expect("neither public", samples__demo__cheatDOTh='#include "base/log.h"\n')
        self.expect("not a public header", samples__demo__cheatDOTh="#include <base/log.h>\n")

    def test_the_command_sees_public_headers_only(self):
        self.expect("neither public", source__zetl__cheatDOTh='#include "base/log.h"\n')
        self.expect("not a public header", source__zetl__cheatDOTh="#include <base/log.h>\n")


if __name__ == "__main__":
    unittest.main()
