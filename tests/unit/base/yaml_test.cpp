#include "base/yaml.h"

#include <gtest/gtest.h>

#include <new>

#include "unit/base/exhausted_memory.h"

namespace zetl::yaml {
namespace {

TEST(Yaml, ListsAndMapsInBothStyles) {
    const Node root = parse(
        "version:         '1.39'\n"
        "kernels:\n"
        "  - name:            add  # a comment\n"
        "    sizes: [1, 0x20, -3]\n"
        "    flags: {fast: true, \"quoted: key\": no}\n"
        "  - { name: other }\n"
        "...\n");
    ASSERT_TRUE(root.isMap());
    EXPECT_EQ(root["version"].text(), "1.39");
    const Node kernels = root["kernels"];
    ASSERT_TRUE(kernels.isList());
    ASSERT_EQ(kernels.elements().size(), 2u);
    const Node first = kernels.elements()[0];
    EXPECT_EQ(first["name"].text(), "add");
    EXPECT_EQ(first["sizes"].elements().at(0).number(), 1u);
    EXPECT_EQ(first["sizes"].elements().at(1).number(), 32u);
    EXPECT_EQ(first["sizes"].elements().at(2).number(), std::nullopt);
    EXPECT_EQ(first["flags"]["fast"].text(), "true");
    EXPECT_EQ(first["flags"]["quoted: key"].text(), "no");
    EXPECT_EQ(kernels.elements()[1]["name"].text(), "other");
}

TEST(Yaml, WhatIsNotThereIsNothing) {
    const Node root = parse("empty:\ntilde: ~\nword: null\nquoted: ''\ntext: x\n");
    for (const char* key : {"empty", "tilde", "word", "absent"}) EXPECT_TRUE(root[key].isNull()) << key;
    EXPECT_TRUE(root["quoted"].isText());
    const Node text = root["text"];
    EXPECT_TRUE(text["key"].isNull());
    EXPECT_TRUE(text.elements().empty());
    EXPECT_TRUE(text.entries().empty());
    EXPECT_EQ(text.number(), std::nullopt);
    for (const char* nothing : {"", "\n", "# only a comment\n"}) EXPECT_TRUE(parse(nothing).isNull());
    EXPECT_TRUE(parse(std::string_view()).isNull()) << "not even an address";
}

TEST(Yaml, AliasesShare) {
    const Node root = parse("a: &x {k: 1}\nb: [*x, *x]\n");
    EXPECT_EQ(root["b"].elements().at(1)["k"].text(), "1");
    EXPECT_EQ(&root["b"].elements().at(0).entries(), &root["a"].entries());
    EXPECT_EQ(parse("a: &text hello\nb: &other [1]\nc: *text\n")["c"].text(), "hello");
    EXPECT_EQ(parse("- one\n- &two 2\n- *two\n").elements().at(2).text(), "2");
    EXPECT_THROW(parse("a: *x\n"), Error);
    EXPECT_THROW(parse("a: &x [*x]\n"), Error) << "of itself";
}

TEST(Yaml, ErrorsNameTheirPlace) {
    for (const char* bad :
         {"a: [1, 2\n", "a: b: c\n", "\tkey: 1\n", "a: 'open\n", "{[a]: 1}\n", "a: \x01\n", "a: \xff\n"}) {
        try {
            parse(bad);
            ADD_FAILURE() << bad;
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()).substr(0, 5), "line ") << error.what();
        }
    }
}

TEST(Yaml, NestingHasAnEnd) {
    EXPECT_NO_THROW(parse(std::string(90, '[') + std::string(90, ']')));
    EXPECT_THROW(parse(std::string(200, '[') + std::string(200, ']')), Error);
    EXPECT_THROW(parse(std::string(1 << 20, '[')), Error);
}

/// Where memory is short that is said, and not that the text is damaged.
TEST(Yaml, ASoundTextIsNeverDamaged) {
    if (!test::kMemoryCanBeExhausted) GTEST_SKIP() << "a sanitizer ends a process without memory";
    constexpr std::size_t kMost = 256 << 10;
    for (std::size_t left = 0; left <= kMost; left += kMost / 64) {
        const int code = test::exitCodeOfChild([left] {
            test::exhaustMemory(left);
            try {
                parse("kernels: [{name: add, sizes: [1, 2, 3]}, {name: other}]");
            } catch (const std::bad_alloc&) {
            } catch (const Error&) {
                return 1;
            }
            return 0;
        });
        EXPECT_EQ(code, 0) << "with " << left << " bytes left";
    }
}

}  // namespace
}  // namespace zetl::yaml
