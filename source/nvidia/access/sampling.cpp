// Section "sampling": where the process's warps spend their time, by instruction.
#include "nvidia/access/instruction_stream.h"
#include "nvidia/access/on_stream.h"
#include "nvidia/access/sections.h"
#include "provider/listing.h"

namespace zetl::nvidia::access {
namespace {

using Sampling = IdTable<InstructionStream>;

zetl_status_t reasons(const char* chip, std::uint32_t capacity, const char** names, std::uint32_t* count) noexcept {
    return guarded([&] {
        if (!chip) return ZETL_MISUSE;
        if (!openCupti().empty()) return ZETL_UNSUPPORTED;
        return provider::list(stallReasons(), capacity, names, count);
    });
}

zetl_status_t openSampling(zetl_lease_t id, zetl_stream_options_t* options, zetl_stream_t* stream) noexcept {
    return atWork([&] {
        auto lease = leaseOf(id, ZETL_SOURCE_SAMPLING);
        if (!lease) return ZETL_GONE;
        if (!options || options->size < sizeof *options || !stream) return ZETL_MISUSE;
        auto made = std::make_shared<InstructionStream>(std::move(lease), *options);
        if (const auto bad = made->start(); bad != ZETL_OK) return bad;
        *stream = Sampling::instance().add(std::move(made));
        return ZETL_OK;
    });
}

zetl_status_t drainSamples(zetl_stream_t id, std::uint64_t capacity, zetl_sample_t* samples, std::uint64_t* count,
                           zetl_loss_t* loss) noexcept {
    return onStream<Sampling>(id, [=](InstructionStream& stream) {
        if (!count || !loss || (capacity > 0 && !samples)) return ZETL_MISUSE;
        *count = stream.drain(capacity, samples, *loss);
        return ZETL_OK;
    });
}

zetl_status_t closeSampling(zetl_stream_t id) noexcept {
    // Its thread ends outside of the table's lock.
    return atWork([&] { return Sampling::instance().remove(id) ? ZETL_OK : ZETL_GONE; });
}

zetl_status_t pendingLooks(zetl_stream_t id, std::uint64_t* looks) noexcept {
    return onStream<Sampling>(id, [=](const InstructionStream& stream) {
        if (!looks) return ZETL_MISUSE;
        *looks = stream.pending();
        return ZETL_OK;
    });
}

}  // namespace

const zetl_sampling_functions_t kSamplingFunctions = {
    .size = sizeof kSamplingFunctions,
    .reserved = 0,
    .reasons = reasons,
    .open = openSampling,
    .drain = drainSamples,
    .close = closeSampling,
    .pending = pendingLooks,
};

}  // namespace zetl::nvidia::access
