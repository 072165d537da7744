// A file for a program that a test runs.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace zetl::test {

/// Gone with the object.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::span<const std::uint8_t> bytes) {
        static int made = 0;
        const auto name = "zetl-test-file." + std::to_string(getpid()) + "." + std::to_string(++made);
        path_ = std::filesystem::temp_directory_path() / name;
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    std::string name() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

}  // namespace zetl::test
