// CUPTI's sampling of the instructions at which warps are (PC sampling).
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "nvidia/cupti/api.h"

namespace zetl::nvidia {

/// The reasons why a warp is at an instruction: CUPTI's names without their common beginning
/// (smsp__pcsamp_warps_issue_). A sample's reason is an index into them.
std::span<const char* const> stallReasons() noexcept;

/// A checksum by which samples name a cubin; 0 if CUPTI has none for these bytes.
std::uint64_t checksumOf(std::span<const std::uint8_t> cubin) noexcept;

/// A session on one context; a context has one at a time. Kernels run side by side as without it. CUPTI's own threads
/// fetch samples from the hardware, so samples come some milliseconds after they were taken. Not thread-safe.
class InstructionSampler {
  public:
    /// How often one instruction was seen for one reason.
    struct Sample {
        std::uint64_t cubin;   ///< its checksumOf()
        const char* function;  ///< CUPTI's text; mangled
        std::uint64_t offset;  ///< of the instruction in its function, bytes
        std::uint32_t reason;
        std::uint64_t count;
    };
    using Take = std::function<void(const Sample&)>;

    /// Each multiprocessor is sampled every 2^n cycles. CUPTI accepts 5 and more; below 10 its buffer overflows within
    /// a tenth of a second, and everything in it is lost.
    static constexpr std::uint32_t kShortestPeriod = 10;
    static constexpr std::uint32_t kLongestPeriod = 31;

    InstructionSampler(CUcontext context, std::uint32_t period);
    ~InstructionSampler();
    InstructionSampler(const InstructionSampler&) = delete;
    InstructionSampler& operator=(const InstructionSampler&) = delete;

    /// Takes 0.1 s. This function or collect() returns BUSY and NEEDS_PRIVILEGE.
    zetl_status_t start();
    /// Passes on what CUPTI has fetched, without waiting for the device; adds the samples that the hardware lost to
    /// `dropped`. NOT_READY: its buffer overflowed, everything in it is lost, and the session has been restarted.
    zetl_status_t collect(const Take& take, std::uint64_t& dropped);

  private:
    /// The memory to which CUPTI writes samples.
    struct Records {
        std::vector<CUpti_PCSamplingPCData> places;
        std::vector<CUpti_PCSamplingStallReason> counts;
        CUpti_PCSamplingData data{};

        explicit Records(std::size_t reasons);
    };

    zetl_status_t learnReasons();
    zetl_status_t configure();
    void stop();
    void give(const Records& records, const Take& take) const;

    const CUcontext context_;
    const std::uint32_t period_;
    bool running_ = false;
    std::vector<std::optional<std::uint32_t>> reasonOf_;  ///< by CUPTI's number
    std::optional<Records> rest_;                         ///< what CUPTI has left at the end; must not be the other
    std::optional<Records> fetched_;
};

}  // namespace zetl::nvidia
