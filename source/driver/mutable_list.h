// The functions of command lists that change recorded commands (specification, extension "Mutable Command List").
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "driver/boundary.h"
#include "driver/mutability.h"
#include "driver/recording.h"

namespace zetl::driver {

/// What a list records, and the ids of the commands that may change. `List` is the driver's class that inherits this
/// one. It has `kMutableParts`, which the device allows to change, and `mutationOf(commands, ids)`.
template <class List, class Mutation, class Kernel, class Commands>
class MutableList {
  public:
    using AliveAs = List;

    /// Created with ze_mutable_command_list_exp_desc_t.
    bool isMutable() const noexcept { return mutable_; }

    // The exported functions, without their first argument. After a change, the list has to be closed again. If one of
    // a call's changes is refused, none is made. INVALID_ARGUMENT if the list is not mutable.
    /// The id of the command that is appended next. INVALID_ARGUMENT if the list is closed.
    Result<std::uint64_t> getNextCommandId(const ze_mutable_command_id_exp_desc_t& description) {
        return getNextCommandIdWithKernels(description, 0, nullptr);
    }
    Result<std::uint64_t> getNextCommandIdWithKernels(const ze_mutable_command_id_exp_desc_t& description,
                                                      std::uint32_t count, ze_kernel_handle_t* kernels) {
        if (description.flags & ~kKnownMutations) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        if (description.flags & ~List::kMutableParts)
            return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                          "flags {:#x} of {:#x} are not among the device's mutableCommandFlags",
                          description.flags & ~List::kMutableParts, description.flags);
        auto choice = findAll<Kernel>(kernels ? count : 0, kernels);
        if (!choice) return choice.code();
        const Lock guard(mutex_);
        if (!mutable_ || recording_.closed())
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the list is {}; ids are of open lists created with ze_mutable_command_list_exp_desc_t",
                          recording_.closed() ? "closed" : "not mutable");
        const std::uint64_t id = ids_.size() + 1;
        const auto flags = description.flags ? description.flags : kMutableByDefault & List::kMutableParts;
        ids_[id] = {recording_.commands().size(), flags, *std::move(choice)};
        return id;
    }
    Status updateCommands(const ze_mutable_commands_exp_desc_t& description) {
        return update([&](Mutation& mutation) { return applyChanges(mutation, description); });
    }
    Status updateSignalEvent(std::uint64_t id, ze_event_handle_t event) {
        return update([&](Mutation& mutation) { return mutation.setSignalEvent(id, event); });
    }
    Status updateWaitEvents(std::uint64_t id, std::uint32_t count, ze_event_handle_t* events) {
        return update([&](Mutation& mutation) { return mutation.setWaitEvents(id, count, events); });
    }
    Status updateKernels(std::uint32_t count, std::uint64_t* ids, ze_kernel_handle_t* kernels) {
        return update([&](Mutation& mutation) { return applyKernels(mutation, count, ids, kernels); });
    }

  protected:
    explicit MutableList(bool isMutable) : mutable_(isMutable) {}

    Mutex mutex_;
    Recording<Commands> recording_ ZETL_GUARDED_BY(mutex_);
    CommandIds<Kernel> ids_ ZETL_GUARDED_BY(mutex_);

  private:
    Status update(const std::function<Status(Mutation&)>& edit) {
        if (!mutable_)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "the list is not mutable; create it with ze_mutable_command_list_exp_desc_t");
        const Lock guard(mutex_);
        Mutation mutation = static_cast<List&>(*this).mutationOf(recording_.commands(), ids_);
        if (const Status bad = edit(mutation); bad != ZE_RESULT_SUCCESS) return bad;
        auto changed = mutation.take();
        if (!changed) return changed.code();
        recording_.replace(*std::move(changed));
        mutation.keep();
        return ZE_RESULT_SUCCESS;
    }

    const bool mutable_;
};

}  // namespace zetl::driver
