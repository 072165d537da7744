// zetl kernels and zetl disasm, on files that the compiler made.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "says.h"
#include "support/process.h"
#include "unit/module/compiled.h"

namespace {

using nlohmann::json;
using zetl::emulator::module::compiled;
using zetl::emulator::module::kPrivate;
using zetl::test::inBuildTree;
using zetl::test::Outcome;
using zetl::test::Process;
using zetl::test::says;

using Bytes = std::vector<std::uint8_t>;

/// A file of its own, gone with the object.
class File {
  public:
    explicit File(const Bytes& bytes)
        : name_(std::filesystem::temp_directory_path() / ("binary_view_test." + std::to_string(getpid()))) {
        std::ofstream(name_, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    ~File() { std::filesystem::remove(name_); }
    std::string name() const { return name_.string(); }

  private:
    std::filesystem::path name_;
};

Outcome shown(std::vector<std::string> words) {
    words.insert(words.begin(), inBuildTree("bin/zetl"));
    return Process(words).run();
}

TEST(BinaryView, KernelsForPeopleAndPrograms) {
    const File file(compiled(kPrivate, "-cl-std=CL2.0 -g"));
    const auto table = shown({"kernels", file.name()});
    EXPECT_EQ(table.exitCode, 0) << table;
    EXPECT_TRUE(says(table, "large")) << table;
    EXPECT_FALSE(says(table, "\033")) << "colours are for terminals";
    const auto rows = json::parse(shown({"kernels", "--json", file.name()}).output);
    EXPECT_EQ(rows["container"], "zebin");
    EXPECT_EQ(rows["kernels"].at(0)["name"], "large");
    EXPECT_EQ(rows["kernels"].at(0)["registers"], 128);
}

TEST(BinaryView, CodeBesideItsSource) {
    const File file(compiled(kPrivate, "-cl-std=CL2.0 -g"));
    const auto code = shown({"disasm", file.name()});
    EXPECT_EQ(code.exitCode, 0) << code;
    EXPECT_TRUE(says(code, "send.ugm")) << code;
    EXPECT_TRUE(says(code, ":2 ")) << "source line 2\n" << code;
    EXPECT_FALSE(says(shown({"disasm", "--no-source", file.name()}), "; ")) << "machine code alone";
    const auto kernels = json::parse(shown({"disasm", "--json", "--kernel", "large", file.name()}).output);
    EXPECT_GT(kernels.at(0)["instructions"].size(), 20u);
    EXPECT_EQ(kernels.at(0)["instructions"].at(0)["offset"], 0);
}

TEST(BinaryView, WhatCannotBeShown) {
    const File file(compiled(kPrivate, "-cl-std=CL2.0"));
    const auto code = shown({"disasm", file.name()});
    EXPECT_EQ(code.exitCode, 0) << code;
    EXPECT_TRUE(says(code, "built without -g")) << code;
    const auto other = shown({"disasm", "--kernel", "none", file.name()});
    EXPECT_EQ(other.exitCode, 1) << other;
    EXPECT_TRUE(says(other, "there is no kernel none")) << other;
    const File text(Bytes(100, 'x'));
    const auto neither = shown({"kernels", text.name()});
    EXPECT_EQ(neither.exitCode, 1) << neither;
    EXPECT_TRUE(says(neither, "neither ELF for an Intel GPU nor patch tokens")) << neither;
    EXPECT_EQ(shown({"kernels", "/no/such/file"}).exitCode, 2);
    EXPECT_EQ(shown({"kernels", text.name(), "word"}).exitCode, 2);
    EXPECT_EQ(shown({"kernels"}).exitCode, 2);
}

}  // namespace
