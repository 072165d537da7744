// Sampled instructions, mapped to kernels, machine code and source lines.
#pragma once

#include <ze_tools_layer/correlation.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zetl::command {

/// Samples by reason, in the order of StallProfile::reasons().
using StallCounts = std::vector<std::uint64_t>;
std::uint64_t sumOf(const StallCounts& counts);

struct StalledInstruction {
    correlation::Instruction instruction;
    std::vector<correlation::Place> places;  ///< from Binary::sourceOf()
    StallCounts samples;
};

/// Kernels with the same name and machine code are one, whatever module or process they are from.
struct StalledKernel {
    std::string name;
    std::string withoutLines;  ///< why it has no source lines; empty if it has them
    std::vector<StalledInstruction> code;
    StallCounts samples;
};

/// The files that libzetl_queries.so wrote into a directory (stalls_format.h).
class StallProfile {
  public:
    /// Files that cannot be read are reported on standard error.
    explicit StallProfile(const std::filesystem::path& directory);

    const std::vector<std::string>& reasons() const { return reasons_; }
    /// Nanoseconds that one sample stands for; 0: nothing was sampled.
    std::uint64_t period() const { return period_; }
    /// The longest time between two looks at a thread; a sample taken then counts as several.
    std::uint64_t longestPeriod() const { return longestPeriod_; }
    /// The kernel with the most samples comes first.
    const std::vector<StalledKernel>& kernels() const { return kernels_; }

    std::uint64_t mapped() const;
    std::uint64_t unmapped() const { return unmapped_; }  ///< at addresses of no known module
    /// Of all these: others of the same reading stand for them.
    std::uint64_t lost() const { return lost_; }
    bool moreLost() const { return moreLost_; }  ///< and more, which were not counted
    /// Why instructions of NVIDIA's code are shown as words; empty if none are.
    const std::string& withoutSass() const { return withoutSass_; }

  private:
    struct Image;
    using Images = std::map<std::uint64_t, std::shared_ptr<Image>>;  ///< by module, of one process

    void read(const std::filesystem::path& file);
    void readLine(const std::vector<std::string>& fields, const std::string& stem, Images& live);
    void add(const Images& live, std::uint64_t address, const StallCounts& counts);
    void disassemble();
    std::shared_ptr<Image> imageOf(const std::filesystem::path& file);
    std::size_t kernelOf(const correlation::Binary& binary, const correlation::Kernel& kernel);

    std::vector<std::string> reasons_;
    std::uint64_t period_ = 0;
    std::uint64_t longestPeriod_ = 0;
    std::uint64_t unmapped_ = 0;
    std::uint64_t lost_ = 0;
    bool moreLost_ = false;
    std::vector<StalledKernel> kernels_;
    std::vector<std::shared_ptr<Image>> cubins_;
    std::string withoutSass_;
    std::map<std::pair<std::string, std::string>, std::size_t> known_;  ///< by name and code
};

}  // namespace zetl::command
