// Section "sampling": where threads spend their time, by instruction.
#pragma once

#include <vector>

#include "provider/backend.h"
#include "provider/filled.h"
#include "provider/listing.h"

namespace zetl::provider {

/// The functions of the section on one open stream.
class InstructionStream {
  public:
    InstructionStream() = default;
    virtual ~InstructionStream() = default;
    InstructionStream(const InstructionStream&) = delete;
    InstructionStream& operator=(const InstructionStream&) = delete;

    virtual std::uint64_t pending() = 0;
    /// Returns the number of samples removed; with capacity 0, the number that waits.
    virtual std::uint64_t drain(std::uint64_t capacity, zetl_sample_t* samples, zetl_loss_t& loss) = 0;
    /// No function will be called any more; the object ends when the last call has returned.
    void close() noexcept {}
};

template <Backend B>
class Sampling {
  public:
    using Provider = B;
    using Lease = typename B::Lease;

    /// The names live as long as the provider.
    virtual zetl_status_t reasons(const char* chip, std::vector<const char*>& names) const = 0;
    /// `options` are the requested values, and then the granted ones.
    virtual Made<InstructionStream> open(const std::shared_ptr<Lease>& lease, zetl_stream_options_t& options) const = 0;

  protected:
    ~Sampling() = default;
};

template <class Section>
class SamplingTable {
    using B = typename Section::Provider;
    static constexpr Section kSection{};

    static zetl_status_t reasons(const char* chip, std::uint32_t capacity, const char** names,
                                 std::uint32_t* count) noexcept {
        return guarded(B::kChannel, [&] {
            if (!chip) return ZETL_MISUSE;
            std::vector<const char*> all;
            const auto status = kSection.reasons(chip, all);
            return status == ZETL_OK ? list(all, capacity, names, count) : status;
        });
    }
    static zetl_status_t open(zetl_lease_t id, zetl_stream_options_t* options, zetl_stream_t* stream) noexcept {
        return onLease<B>(id, ZETL_SOURCE_SAMPLING, [&](const auto& lease) {
            if (!canBeFilled(options) || !stream) return ZETL_MISUSE;
            return keep<B>(kSection.open(lease, *options), stream);
        });
    }
    static zetl_status_t drain(zetl_stream_t id, std::uint64_t capacity, zetl_sample_t* samples, std::uint64_t* count,
                               zetl_loss_t* loss) noexcept {
        return onObject<B, InstructionStream>(id, [=](InstructionStream& stream) {
            if (!count || !loss || (capacity > 0 && !samples)) return ZETL_MISUSE;
            *count = stream.drain(capacity, samples, *loss);
            return ZETL_OK;
        });
    }
    static zetl_status_t pending(zetl_stream_t id, std::uint64_t* looks) noexcept {
        return onObject<B, InstructionStream>(id, [=](InstructionStream& stream) {
            if (!looks) return ZETL_MISUSE;
            *looks = stream.pending();
            return ZETL_OK;
        });
    }

  public:
    static constexpr zetl_sampling_functions_t kFunctions = {
        .size = sizeof(zetl_sampling_functions_t),
        .reserved = 0,
        .reasons = reasons,
        .open = open,
        .drain = drain,
        .close = closeObject<B, InstructionStream>,
        .pending = pending,
    };
};

}  // namespace zetl::provider
