// A directory of a test's own for what `zetl trace` writes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace zetl::test {

class TraceDirectory : public testing::Test {
  protected:
    void SetUp() override {
        auto pattern = (std::filesystem::temp_directory_path() / "zetl-test-XXXXXX").native();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        directory_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string textOf(const std::string& file) const {
        std::stringstream text;
        text << std::ifstream(directory_ / file, std::ios::binary).rdbuf();
        return std::move(text).str();
    }

    std::filesystem::path directory_;
};

}  // namespace zetl::test
