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
| `source/zetl/` | command | public headers |
| `layer/` | all of it | all |
"""
TREE = {
    "docs/explanation/architecture.md": TABLE,
    "include/tools/access.h": '#pragma once\n#include "tools/level_zero.h"\n',
    "include/tools/level_zero.h": "#pragma once\n#include <level_zero/ze_api.h>\n",
    "source/base/CMakeLists.txt": "zetl_component(base SOURCES log.cpp)",
    "source/base/log.h": "#include <string>\n",
    "source/base/result.h": "#include <tools/access.h>\n",
    "source/base/enumerate.h": '#include "base/result.h"\n',
    "source/tracing/CMakeLists.txt": "zetl_component(tracing SOURCES tracer.cpp LINKS base PRIVATE_LINKS spdlog::spdlog)",
    "source/tracing/tracer.h": "#pragma once\n",
    "source/tracing/tracer.cpp": '#include "tracing/tracer.h"\n#include "base/log.h"\n#include <level_zero/ze_api.h>\n',
    "source/metrics/CMakeLists.txt": "zetl_component(metrics\n    SOURCES group.cpp\n    LINKS base)",
    "source/metrics/group.h": "#pragma once\n",
    "source/emulator/isa/CMakeLists.txt": "# order: decode < lower | steps < .\n"
                                          "zetl_component(isa SOURCES decode/text.cpp LINKS base)",
    "source/emulator/isa/program.h": '#include "emulator/isa/decode/text.h"\n',
    "source/emulator/isa/decode/text.h": '#include "base/log.h"\n',
    "source/emulator/isa/lower/lower.h": '#include "emulator/isa/decode/text.h"\n',
    "source/emulator/isa/steps/steps.h": "#pragma once\n",
    "source/zetl/CMakeLists.txt": "# order: . < doctor\nadd_library(zetl_command STATIC doctor/finding.cpp)",
    "source/zetl/launch.h": "#include <tools/access.h>\n",
    "source/zetl/doctor/finding.cpp": '#include "launch.h"\n',
    "layer/CMakeLists.txt": "add_library(the_layer SHARED layer.cpp)\nadd_library(zetl::the_layer ALIAS the_layer)\n"
                            "target_link_libraries(the_layer PRIVATE zetl::base zetl::tracing)",
    "layer/layer.cpp": '#include "layer.h"\n#include "tracing/tracer.h"\n',
    "layer/layer.h": "#pragma once\n",
    "layer/emulated/CMakeLists.txt": "add_library(emulated SHARED exports.cpp)\n"
                                     "target_link_libraries(emulated PRIVATE zetl::isa)",
    "layer/emulated/exports.cpp": '#include "emulator/isa/program.h"\n',
    "samples/CMakeLists.txt": "",
    "samples/demo/main.cpp": '#include <level_zero/ze_api.h>\n#include "part.h"\n',
    "samples/demo/part.h": "",
}


class IncludeRules(unittest.TestCase):
    def findings(self, changes=()):
        """What is found in the good tree after the changes, path -> content."""
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            for path, text in {**TREE, **dict(changes)}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return list(include_rules.findings(root))

    def expect(self, wanted, changes):
        found = self.findings(changes)
        self.assertEqual(len(found), 1, found)
        self.assertIn(wanted, found[0])

    def test_good_tree_has_no_findings(self):
        self.assertEqual(self.findings(), [])


class Components(IncludeRules):
    def test_module_must_not_include_module(self):
        self.expect("tracing does not link metrics", {"source/tracing/cheat.h": '#include "metrics/group.h"\n'})

    def test_angled_form_does_not_help(self):
        self.expect("tracing does not link metrics", {"source/tracing/cheat.h": "  #  include <metrics/group.h>\n"})

    def test_a_detour_by_dots_does_not_help(self):
        self.expect("tracing does not link metrics", {"source/tracing/cheat.h": '#include "../metrics/group.h"\n'})

    def test_a_macro_does_not_help(self):
        self.expect("the macro GROUP", {"source/tracing/cheat.h": '#define GROUP "metrics/group.h"\n#include GROUP\n'})

    def test_base_must_not_look_up(self):
        self.expect("base does not link tracing", {"source/base/log.h": '#include "tracing/tracer.h"\n'})

    def test_layer_may_include_what_it_links_only(self):
        self.expect("the_layer does not link isa", {"layer/layer.cpp": '#include "emulator/isa/program.h"\n'})
        self.expect("emulated does not link base", {"layer/emulated/exports.cpp": '#include "base/log.h"\n'})
        self.expect("emulated does not link the_layer", {"layer/emulated/exports.cpp": '#include "../layer.h"\n'})

    def test_every_source_belongs_to_a_component(self):
        self.expect("belongs to no component", {"source/stray/stray.cpp": ""})

    def test_an_include_leads_somewhere(self):
        self.expect("leads nowhere", {"source/tracing/cheat.h": '#include "metrics/groop.h"\n'})

    def test_samples_see_public_headers_only(self):
        self.expect("neither public", {"samples/demo/cheat.h": '#include "base/log.h"\n'})
        self.expect("not a public header", {"samples/demo/cheat.h": "#include <base/log.h>\n"})


    def test_the_command_sees_public_headers_only(self):
        for line in ('"base/log.h"', "<base/log.h>", '"../base/log.h"'):
            found = self.findings({"source/zetl/cheat.h": f"#include {line}\n"})
            self.assertTrue(any("zetl_command does not link base" in finding for finding in found), found)

    def test_the_command_has_rooms_too(self):
        self.expect("against the order", {"source/zetl/launch.h": '#include "doctor/finding.h"\n',
                                          "source/zetl/doctor/finding.h": ""})


class Links(IncludeRules):
    def test_link_must_be_in_the_table(self):
        self.expect("links metrics", {"source/tracing/CMakeLists.txt": "zetl_component(tracing LINKS base metrics)"})

    def test_link_by_command_counts_too(self):
        self.expect("links metrics", {"source/tracing/CMakeLists.txt": "zetl_component(tracing LINKS base)\n"
                                      "target_link_libraries(zetl_tracing PRIVATE zetl::metrics)"})

    def test_a_target_may_have_another_name_than_its_directory(self):
        self.assertEqual(self.findings({
            "source/base/CMakeLists.txt": "zetl_component(ground SOURCES log.cpp)",
            "source/tracing/CMakeLists.txt": "zetl_component(tracing LINKS ground)",
            "source/metrics/CMakeLists.txt": "zetl_component(metrics LINKS ground)",
            "source/emulator/isa/CMakeLists.txt": "# order: decode < lower | steps < .\nzetl_component(isa LINKS ground)",
            "source/zetl/CMakeLists.txt": "# order: . < doctor\nadd_library(zetl_command STATIC doctor/finding.cpp)",
    "source/zetl/launch.h": "#include <tools/access.h>\n",
    "source/zetl/doctor/finding.cpp": '#include "launch.h"\n',
    "layer/CMakeLists.txt": "add_library(the_layer SHARED layer.cpp)\n"
                                    "target_link_libraries(the_layer PRIVATE zetl::ground zetl::tracing)"}), [])

    def test_link_leads_somewhere(self):
        found = self.findings({"layer/emulated/CMakeLists.txt": "add_library(emulated SHARED exports.cpp)\n"
                               "target_link_libraries(emulated PRIVATE zetl::isa zetl::iza)"})
        self.assertEqual(found, ["layer/emulated/CMakeLists.txt: links iza, which is no component"])

    def test_cycle_is_found(self):
        found = self.findings({"source/base/CMakeLists.txt": "zetl_component(base LINKS tracing)"})
        self.assertTrue(any("base -> tracing -> base" in finding for finding in found), found)

    def test_directory_needs_a_row(self):
        self.expect("no row for source/pin/", {"source/pin/CMakeLists.txt": "zetl_component(pin LINKS base)"})

    def test_a_row_that_permits_some_is_no_row_for_what_lies_below(self):
        self.expect("no row for source/base/inner/", {"source/base/inner/CMakeLists.txt": "zetl_component(inner)"})


class LevelZero(IncludeRules):
    def test_every_way_of_including_it_is_found(self):
        for line in ("<level_zero/ze_api.h>", '"level_zero/ze_api.h"', '"tools/level_zero.h"', "<tools/access.h>",
                     '"base/result.h"', '"base/enumerate.h"'):
            self.expect("isa knows no Level Zero", {"source/emulator/isa/decode/thing.h": f"#include {line}\n"})

    def test_the_way_is_told(self):
        self.expect("base/enumerate.h -> base/result.h -> tools/access.h -> tools/level_zero.h -> level_zero/ze_api.h",
                    {"source/emulator/isa/decode/thing.cpp": '#include "base/enumerate.h"\n'})

    def test_headers_without_it_may_be_public(self):
        self.assertEqual(self.findings({"include/tools/access.h": "#pragma once\n",
                                        "source/emulator/isa/decode/thing.h": "#include <tools/access.h>\n"}), [])


class Orders(IncludeRules):
    def test_an_include_against_the_order_is_found(self):
        self.expect("source/emulator/isa/decode/cheat.h: includes lower/lower.h, against the order",
                    {"source/emulator/isa/decode/cheat.h": '#include "emulator/isa/lower/lower.h"\n'})

    def test_so_is_one_of_the_folders_own_files(self):
        self.expect("includes program.h, against the order",
                    {"source/emulator/isa/lower/cheat.h": '#include "emulator/isa/program.h"\n'})

    def test_neighbours_do_not_include_each_other(self):
        for user, used in (("lower/cheat.h", "steps/steps.h"), ("steps/cheat.h", "lower/lower.h")):
            self.expect("against the order", {f"source/emulator/isa/{user}": f'#include "emulator/isa/{used}"\n'})

    def test_a_path_from_the_file_itself_does_not_help(self):
        self.expect("against the order", {"source/emulator/isa/decode/cheat.h": '#include "../lower/lower.h"\n'})

    def test_every_subfolder_is_in_the_order(self):
        self.expect("names rows", {"source/emulator/isa/rows/add.h": ""})
        self.expect("names inner", {"source/base/CMakeLists.txt": "# order: .\nzetl_component(base SOURCES log.cpp)",
                                    "source/base/inner/thing.h": ""})

    def test_a_folder_with_subfolders_has_an_order(self):
        self.expect("source/base/CMakeLists.txt: no '# order:' line names ., inner", {"source/base/inner/thing.h": ""})

    def test_the_order_names_what_there_is(self):
        self.expect("names rows, which holds no sources",
                    {"source/emulator/isa/CMakeLists.txt": "# order: decode < lower | steps < rows < .\n"
                     "zetl_component(isa LINKS base)"})

    def test_a_named_exception_is_one_as_long_as_it_is_needed(self):
        listing = {"source/emulator/isa/CMakeLists.txt": "# order: decode < lower | steps < .\n"
                   "# but: decode/text.cpp includes lower/lower.h\nzetl_component(isa LINKS base)"}
        include = {"source/emulator/isa/decode/text.cpp": '#include "emulator/isa/lower/lower.h"\n'}
        self.assertEqual(self.findings({**listing, **include}), [])
        self.expect("'# but: decode/text.cpp includes lower/lower.h' is no longer true", listing)


if __name__ == "__main__":
    unittest.main()
