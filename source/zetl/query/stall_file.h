// The file of a process's samples (stalls_format.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace zetl::queries {

/// Adds up samples and writes them at the end, before modules are created or destroyed, and so often that a killed
/// process loses at most the last hundredth of its time, or 20 ms. Reports a failure to write once, on standard error.
/// Not thread-safe; throws only std::bad_alloc.
class StallFile {
  public:
    explicit StallFile(const std::string& directory);

    void head(std::uint32_t period, const std::vector<std::string>& reasons);
    void moduleMade(std::uint32_t number, std::span<const std::uint8_t> image);
    void moduleGone(std::uint32_t number);
    void add(std::uint64_t address, std::size_t reason, std::uint64_t samples);
    /// 0: the number is unknown.
    void lost(std::uint64_t samples);
    void periodChanged(std::uint32_t period);
    void flushIfDue();
    void flush();

  private:
    using Clock = std::chrono::steady_clock;

    std::string pathOf(const char* suffix) const;
    void write(const std::string& path, const void* bytes, std::size_t size);
    void writeLine(const std::string& line);

    const std::string stem_;
    std::size_t reasons_ = 0;
    std::map<std::uint64_t, std::vector<std::uint64_t>> sums_;
    const Clock::time_point started_ = Clock::now();
    Clock::time_point flushed_ = Clock::now();
    bool failed_ = false;
};

}  // namespace zetl::queries
