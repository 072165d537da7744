// Every row of the emulated GPU's driver, called with what no caller may pass.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "fuzz/driver_api/objects.h"
#include "support/effort.h"

namespace zetl::test {
namespace {

using Kind = RowParameter::Kind;

/// Live objects of every kind, and handles of objects that were destroyed.
struct Objects {
    HandlePool live;
    HandlePool stale;

    /// A tracer takes time, which only functions of metrics are worth.
    explicit Objects(bool traced = true) {
        addLasting(live);
        stale.add(live.last<ze_driver_handle_t>());
        stale.of<ze_device_handle_t>() = live.of<ze_device_handle_t>();
        addObjects(live);
        addObjects(stale);
        if (traced) addTracer(live);
        if (traced) addTracer(stale);
        destroyObjects(stale);
        stale.of<ze_driver_handle_t>().clear();
        stale.of<ze_device_handle_t>().clear();
    }
    ~Objects() { destroyObjects(live); }
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;
};

/// Arguments that are right as far as rows can tell, but for one: live objects, memory of zeros, and one number
/// everywhere.
class Arguments : public Chooser {
  public:
    explicit Arguments(HandlePool& objects, std::uint64_t number = 0) : objects_(objects), number_(number) {}

    Arguments& with(std::size_t index, void* value) {
        replaced_ = true;
        index_ = index;
        value_ = value;
        return *this;
    }
    /// What arrays of handles begin with.
    Arguments& beginningWith(void* handle) {
        first_ = handle;
        return *this;
    }

    void* pointer(const RowParameter& parameter) override {
        if (replaced_ && parameter.index == index_) return value_;
        if (parameter.kind == Kind::handle) return liveOf(parameter);
        auto& memory = *memory_[parameter.index];
        memory.fill(std::byte{});
        if (parameter.kind == Kind::handles) std::memcpy(memory.data(), &first_, sizeof first_);
        if (parameter.kind == Kind::data) fillNumber(parameter.type, memory.data());
        return memory.data();
    }
    std::uint64_t number(const RowParameter&) override { return number_; }

  private:
    static constexpr std::size_t kMost = 24;
    using Memory = std::array<std::byte, 1 << 16>;

    void* liveOf(const RowParameter& parameter) {
        if (parameter.letter == '.') return nullptr;
        const auto& handles = objects_.of(parameter.type);
        return handles.empty() ? nullptr : handles.back();
    }
    /// What counts is also passed by pointer.
    void fillNumber(std::type_index type, std::byte* memory) const {
        if (type == typeid(std::uint32_t)) std::memcpy(memory, &number_, sizeof(std::uint32_t));
        if (type == typeid(std::uint64_t)) std::memcpy(memory, &number_, sizeof number_);
    }
    static std::vector<std::unique_ptr<Memory>> allMemory() {
        std::vector<std::unique_ptr<Memory>> memory(kMost);
        for (auto& each : memory) each = std::make_unique<Memory>();
        return memory;
    }

    HandlePool& objects_;
    std::uint64_t number_;
    bool replaced_ = false;
    std::size_t index_ = 0;
    void* value_ = nullptr;
    void* first_ = nullptr;
    std::vector<std::unique_ptr<Memory>> memory_ = allMemory();
};

struct BadHandle {
    const char* what;
    void* handle;
};

/// What is no live handle of the parameter's kind. Driver, devices and what is listed are never destroyed.
std::vector<BadHandle> badHandles(Objects& objects, const RowParameter& parameter) {
    const std::type_index kind = objectKind(parameter.type);
    void* const driver = objects.live.last<ze_driver_handle_t>();
    void* const device = objects.live.last<ze_device_handle_t>();
    void* const other = kind == typeid(ze_driver_handle_t) ? device : driver;
    std::vector<BadHandle> bad{{"foreign", reinterpret_cast<void*>(0x1000)},
                               {"of another kind", other},
                               {"within an object", static_cast<char*>(device) + sizeof(void*)}};
    if (!objects.stale.of(kind).empty()) bad.push_back({"destroyed", objects.stale.of(kind).back()});
    return bad;
}

/// Functions of metrics check the objects of their own.
bool isOfMetrics(const Row& row) { return row.name.starts_with("zetIntel"); }

/// Metrics belong to no context: which one is passed does not matter.
bool matters(const Row& row, const RowParameter& parameter) {
    return !isOfMetrics(row) || parameter.type != typeid(ze_context_handle_t);
}

/// What a function answers to a null handle.
std::uint64_t answerToMissingHandle(const Row& row) {
    static const std::map<std::string_view, std::uint64_t> others{
        {"zeDriverGetDefaultContext", 0},
        {"zerTranslateDeviceHandleToIdentifier", UINT32_MAX},
        {"zexMemFreeRegisterCallbackExt", ZE_RESULT_ERROR_INVALID_ARGUMENT},
    };
    const auto found = others.find(row.name);
    return found == others.end() ? std::uint64_t{ZE_RESULT_ERROR_INVALID_NULL_HANDLE} : found->second;
}

/// What a function answers to a handle that is not live.
std::uint64_t answerToBadHandle(const Row& row, const RowParameter& parameter) {
    if (isOfMetrics(row) && parameter.type != typeid(ze_device_handle_t)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return answerToMissingHandle(row);
}

bool mustBeGiven(const RowParameter& parameter) { return parameter.letter == 'h' || parameter.letter == 'a'; }

std::string nameOf(const Row& row, const RowParameter& parameter, const char* what) {
    return std::string(row.name) + ", argument " + std::to_string(parameter.index) + " " + what;
}

TEST(RowTable, EveryRowCanBeCalled) {
    EXPECT_GT(driverRows().size(), 300u);
    for (const Row& row : driverRows()) EXPECT_NE(row.entry, nullptr) << row.name;
}

/// Otherwise the handle that is tried below is not the first bad one.
TEST(RowTable, ThereIsAnObjectOfEveryKind) {
    Objects objects;
    for (const Row& row : driverRows())
        for (const RowParameter& parameter : row.parameters)
            if (mustBeGiven(parameter)) {
                EXPECT_FALSE(objects.live.of(parameter.type).empty()) << nameOf(row, parameter, "");
            }
}

TEST(RowTable, AHandleThatIsNotLiveIsRefused) {
    Objects objects;
    Arguments arguments(objects.live);
    for (const Row& row : driverRows()) {
        for (const RowParameter& parameter : row.parameters) {
            if (parameter.kind != Kind::handle || parameter.letter == '.' || !matters(row, parameter)) continue;
            for (const auto& [what, handle] : badHandles(objects, parameter))
                EXPECT_EQ(row.call(arguments.with(parameter.index, handle)), answerToBadHandle(row, parameter))
                    << nameOf(row, parameter, what);
        }
    }
}

TEST(RowTable, AMissingHandleIsRefused) {
    Objects objects;
    Arguments arguments(objects.live);
    for (const Row& row : driverRows())
        for (const RowParameter& parameter : row.parameters)
            if (mustBeGiven(parameter)) {
                EXPECT_EQ(row.call(arguments.with(parameter.index, nullptr)), answerToMissingHandle(row))
                    << nameOf(row, parameter, "null");
            }
}

TEST(RowTable, AMissingPointerIsRefused) {
    Objects objects;
    Arguments arguments(objects.live);
    for (const Row& row : driverRows())
        for (const RowParameter& parameter : row.parameters)
            if (parameter.letter == 'p') {
                EXPECT_EQ(row.call(arguments.with(parameter.index, nullptr)), ZE_RESULT_ERROR_INVALID_NULL_POINTER)
                    << nameOf(row, parameter, "null");
            }
}

/// An event to signal, for instance: it may be missing, but what is there must be live.
TEST(RowTable, AnOptionalHandleThatIsNotLiveIsRefused) {
    for (const Row& row : driverRows()) {
        for (const RowParameter& parameter : row.parameters) {
            if (parameter.kind != Kind::handle || parameter.letter != '.') continue;
            Objects objects(isOfMetrics(row));
            Arguments arguments(objects.live);
            for (const auto& [what, handle] : badHandles(objects, parameter)) {
                const std::uint64_t answer = row.call(arguments.with(parameter.index, handle));
                EXPECT_NE(answer, ZE_RESULT_SUCCESS) << nameOf(row, parameter, what);
                EXPECT_NE(answer, ZE_RESULT_ERROR_UNKNOWN) << nameOf(row, parameter, what);
            }
            destroyObjects(objects.live);
        }
    }
}

/// Waits have a limit here, and so no number may be one.
bool waits(const Row& row) {
    return row.name.find("Synchronize") != row.name.npos || row.name.find("Listen") != row.name.npos;
}

/// One, or more than there can be, of handles that are not live, and of bytes in memory of zeros.
TEST(RowTable, AbsurdCountsAreAnswered) {
    for (const Row& row : driverRows()) {
        for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{UINT32_MAX}, UINT64_MAX}) {
            if (kSanitized && number == UINT32_MAX) continue;  // each makes all objects anew
            if (number != 1 && waits(row)) continue;
            Objects objects(isOfMetrics(row));
            Arguments arguments(objects.live, number);
            arguments.beginningWith(reinterpret_cast<void*>(0x1000));
            const std::uint64_t answer = row.call(arguments);
            if (row.returnsCode) {
                EXPECT_NE(answer, ZE_RESULT_ERROR_UNKNOWN) << row.name << " with " << number;
            }
            destroyObjects(objects.live);
        }
    }
}

}  // namespace
}  // namespace zetl::test
