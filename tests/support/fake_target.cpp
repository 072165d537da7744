// The scripted device's modules, threads and memory.
#include <algorithm>
#include <cstring>
#include <utility>

#include "support/fake_state.h"

namespace zetl::test::fake {
namespace {

constexpr zetl_target_t kTarget = 7;

constexpr zetl_register_set_t kSets[] = {
    {sizeof(zetl_register_set_t), kGeneral, "general", 8, 512, 64, 1, 1, 0, 0},
    {sizeof(zetl_register_set_t), kReadOnly, "mask", 1, 32, 4, 1, 0, 0, 0},
    {sizeof(zetl_register_set_t), kControl, "control", 1, 128, 16, 1, 1, 0, 0},
};

const zetl_register_set_t* setOf(std::uint32_t type) {
    for (const auto& set : kSets)
        if (set.type == type) return &set;
    return nullptr;
}

zetl_thread_t threadAt(std::uint32_t index) {
    const auto& levels = state().character.levels;
    zetl_thread_t thread{};
    for (std::size_t i = levels.size(); i-- > 0; index /= levels[i].count) thread.level[i] = index % levels[i].count;
    return thread;
}

bool contains(const zetl_thread_t& set, std::uint32_t index) {
    const auto thread = threadAt(index);
    for (std::size_t i = 0; i < ZETL_MAX_LEVELS; ++i) {
        const bool any = set.level[i] == ZETL_ANY && i < state().character.levels.size();
        if (!any && set.level[i] != thread.level[i]) return false;
    }
    return true;
}

std::uint32_t indexOf(const zetl_thread_t& thread) {
    for (std::uint32_t i = 0; i < kThreads; ++i)
        if (contains(thread, i)) return i;
    return 0;
}

std::vector<std::uint8_t>& registers(std::uint32_t thread, const zetl_register_set_t& set) {
    auto& values = state().threads[thread].registers[set.type];
    values.resize(set.count * set.bytes);
    return values;
}

zetl_event_t event(zetl_event_kind_t kind) {
    zetl_event_t result{};
    result.size = sizeof result;
    result.kind = kind;
    return result;
}

void sendLoad(zetl_module_t id) {
    auto load = event(ZETL_EVENT_MODULE_LOAD);
    load.module = id;
    load.hold = state().holds[id];
    load.address = state().modules[id].info.load_address;
    send(load);
}

zetl_event_t stopped(std::uint32_t index, std::uint32_t cause) {
    auto& thread = state().threads[index];
    thread.occupied = thread.stopped = true;
    thread.cause = cause;
    auto stop = event(ZETL_EVENT_STOPPED);
    stop.thread = threadAt(index);
    stop.cause = cause;
    return stop;
}

void answer(const zetl_thread_t& set, std::uint64_t token) {
    auto halted = event(ZETL_EVENT_HALTED);
    halted.thread = set;
    halted.token = token;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        auto& thread = state().threads[i];
        if (!contains(set, i) || !thread.occupied) continue;
        if (!thread.stopped) thread.cause = ZETL_STOP_HALT;
        thread.stopped = true;
        ++halted.stopped;
    }
    send(halted);
}

zetl_status_t open(zetl_device_t, std::uint64_t, zetl_sink_t sink, void* user, zetl_target_t* target) {
    const auto lock = enter("target_open");
    if (state().target.sink) return ZETL_BUSY;
    state().target = {sink, user, {}};
    *target = kTarget;
    for (const auto& [id, module] : state().modules) sendLoad(id);  // before the entry, on purpose
    if (state().entered) send(event(ZETL_EVENT_PROCESS_ENTRY));
    return ZETL_OK;
}

zetl_status_t close(zetl_target_t) {
    const auto lock = enter("target_close");
    state().target = {};
    for (auto& thread : state().threads) thread.stopped = false;
    return ZETL_OK;
}

zetl_status_t release(zetl_target_t, std::uint64_t hold) {
    const auto lock = enter("target_release");
    state().released.push_back(hold);
    return ZETL_OK;
}

zetl_status_t halt(zetl_target_t, const zetl_thread_t* set, std::uint64_t token) {
    const auto lock = enter("halt");
    if (state().answerAtOnce)
        answer(*set, token);
    else
        state().target.unanswered.emplace_back(*set, token);
    return ZETL_OK;
}

zetl_status_t run(zetl_target_t, const zetl_thread_t* set) {
    const auto lock = enter("run");
    bool any = false;
    for (std::uint32_t i = 0; i < kThreads; ++i)
        if (contains(*set, i) && std::exchange(state().threads[i].stopped, false)) any = true;
    return any ? ZETL_OK : ZETL_NOT_READY;
}

zetl_status_t threadState(zetl_target_t, const zetl_thread_t* thread, std::uint32_t* result, std::uint32_t* cause) {
    const auto lock = enter("state");
    const auto& each = state().threads[indexOf(*thread)];
    *result = each.stopped ? ZETL_THREAD_STOPPED : each.occupied ? ZETL_THREAD_RUNNING : ZETL_THREAD_IDLE;
    *cause = each.cause;
    return ZETL_OK;
}

zetl_status_t stopped(zetl_target_t, const zetl_thread_t* set, std::uint32_t capacity, zetl_thread_t* threads,
                      std::uint32_t* count) {
    const auto lock = enter("stopped");
    *count = 0;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
        if (!contains(*set, i) || !state().threads[i].stopped) continue;
        if (*count < capacity) threads[*count] = threadAt(i);
        ++*count;
    }
    return ZETL_OK;
}

zetl_status_t registerSets(zetl_device_t, std::uint32_t capacity, const zetl_register_set_t** sets,
                           std::uint32_t* count) {
    *count = std::size(kSets);
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(capacity, std::size(kSets)); ++i) sets[i] = &kSets[i];
    return ZETL_OK;
}

zetl_status_t registerCount(zetl_target_t, const zetl_thread_t* thread, std::uint32_t type, std::uint32_t* count) {
    const auto lock = enter("register_count");
    const auto* set = setOf(type);
    if (!set) return ZETL_MISUSE;
    if (!state().threads[indexOf(*thread)].stopped) return ZETL_NOT_READY;
    *count = set->count;
    return ZETL_OK;
}

zetl_status_t readRegisters(zetl_target_t, const zetl_thread_t* thread, std::uint32_t type, std::uint32_t first,
                            std::uint32_t count, void* values) {
    const auto lock = enter("read_registers");
    const auto& set = *setOf(type);
    std::memcpy(values, registers(indexOf(*thread), set).data() + first * set.bytes, count * set.bytes);
    return ZETL_OK;
}

zetl_status_t writeRegisters(zetl_target_t, const zetl_thread_t* thread, std::uint32_t type, std::uint32_t first,
                             std::uint32_t count, const void* values) {
    const auto lock = enter("write_registers");
    if (!values) return ZETL_MISUSE;
    const auto& set = *setOf(type);
    std::memcpy(registers(indexOf(*thread), set).data() + first * set.bytes, values, count * set.bytes);
    return ZETL_OK;
}

/// The mapped piece that holds the range, and the offset in it.
std::pair<std::string*, std::uint64_t> find(std::uint64_t address, std::uint64_t bytes) {
    for (auto& [begin, content] : state().memory)
        if (begin <= address && address + bytes <= begin + content.size()) return {&content, address - begin};
    return {nullptr, 0};
}

/// Spaces other than global are mapped at an address of their own: space << 40.
std::uint64_t placeOf(std::uint32_t space, std::uint64_t address) {
    return space == ZETL_SPACE_GLOBAL || space == ZETL_SPACE_CODE ? address : (std::uint64_t{space} << 40) + address;
}

zetl_status_t readMemory(zetl_target_t, const zetl_thread_t*, std::uint32_t space, std::uint64_t address,
                         std::uint64_t bytes, void* buffer) {
    const auto lock = enter(space == ZETL_SPACE_CODE ? "read_code" : "read_memory");
    const auto [content, offset] = find(placeOf(space, address), bytes);
    if (!content) return ZETL_GONE;
    std::memcpy(buffer, content->data() + offset, bytes);
    return ZETL_OK;
}

zetl_status_t writeMemory(zetl_target_t, const zetl_thread_t*, std::uint32_t space, std::uint64_t address,
                          std::uint64_t bytes, const void* buffer) {
    const auto lock = enter(space == ZETL_SPACE_CODE ? "write_code" : "write_memory");
    const auto [content, offset] = find(placeOf(space, address), bytes);
    if (!buffer) return ZETL_MISUSE;
    if (!content) return ZETL_GONE;
    std::memcpy(content->data() + offset, buffer, bytes);
    return ZETL_OK;
}

zetl_status_t breakpoint(zetl_target_t, std::uint64_t address, std::uint32_t on) {
    const auto lock = enter(on != 0 ? "set_breakpoint" : "remove_breakpoint");
    return find(address, 1).first ? ZETL_OK : ZETL_GONE;
}

zetl_status_t describe(zetl_module_t module, zetl_module_info_t* info) {
    const auto lock = enter("describe_module");
    const auto found = state().modules.find(module);
    if (found == state().modules.end()) return ZETL_GONE;
    *info = found->second.info;
    info->build_options = found->second.options.c_str();
    return ZETL_OK;
}

zetl_status_t read(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) {
    const auto lock = enter("read_image");
    const auto found = state().modules.find(module);
    if (found == state().modules.end() || offset + bytes > found->second.image.size()) return ZETL_GONE;
    std::memcpy(buffer, found->second.image.data() + offset, bytes);
    return ZETL_OK;
}

zetl_status_t targetModule(zetl_target_t, zetl_module_t module, zetl_module_info_t* info) {
    return describe(module, info);
}
zetl_status_t targetImage(zetl_target_t, zetl_module_t module, std::uint64_t offset, std::uint64_t bytes,
                          void* buffer) {
    return read(module, offset, bytes, buffer);
}

zetl_status_t listModules(zetl_device_t, std::uint32_t capacity, zetl_module_t* modules, std::uint32_t* count) {
    const auto lock = enter("list_modules");
    *count = 0;
    for (const auto& [id, module] : state().modules) {
        if (*count < capacity) modules[*count] = id;
        ++*count;
    }
    return ZETL_OK;
}

constexpr std::uint64_t kKernelBit = std::uint64_t{1} << 32;

zetl_status_t ofHandle(std::uint64_t handle, zetl_module_t* module) {
    const auto lock = enter("of_handle");
    if (!state().modules.contains(handle)) return ZETL_GONE;
    *module = handle;
    return ZETL_OK;
}
zetl_status_t ofModule(ze_module_handle_t handle, zetl_module_t* module) {
    return ofHandle(reinterpret_cast<std::uint64_t>(handle), module);
}
zetl_status_t ofKernel(ze_kernel_handle_t handle, zetl_module_t* module) {
    return ofHandle(reinterpret_cast<std::uint64_t>(handle) - kKernelBit, module);
}
zetl_status_t setRewriter(zetl_rewriter_t, void*) { return ZETL_UNSUPPORTED; }

}  // namespace

const zetl_module_functions_t kModuleFunctions = {
    .size = sizeof kModuleFunctions,
    .reserved = 0,
    .list = listModules,
    .describe = describe,
    .of_module = ofModule,
    .of_kernel = ofKernel,
    .read_image = read,
    .rewrite_before_load = setRewriter,
};
const zetl_target_functions_t kTargetFunctions = {
    .size = sizeof kTargetFunctions,
    .reserved = 0,
    .open = open,
    .close = close,
    .release = release,
    .halt = halt,
    .run = run,
    .state = threadState,
    .stopped = stopped,
    .register_sets = registerSets,
    .register_count = registerCount,
    .read_registers = readRegisters,
    .write_registers = writeRegisters,
    .read_memory = readMemory,
    .write_memory = writeMemory,
    .module_info = targetModule,
    .read_image = targetImage,
    .breakpoint = breakpoint,
};

void send(zetl_event_t event) {
    if (state().target.sink) state().target.sink(state().target.user, &event);
}

zetl_module_t load(const std::string& image, std::uint64_t loadAddress, std::uint64_t codeBytes, std::uint64_t hold,
                   const char* buildOptions) {
    const auto lock = enter("");
    const auto id = state().nextId++;
    auto& module = state().modules[id];
    module.image = image;
    module.options = buildOptions;
    module.info = {sizeof module.info, ZETL_IMAGE_ELF, kDevice, id * 31, loadAddress, codeBytes, image.size(), nullptr};
    state().holds[id] = hold;
    sendLoad(id);
    return id;
}

void unload(zetl_module_t module) {
    const auto lock = enter("");
    auto gone = event(ZETL_EVENT_MODULE_UNLOAD);
    gone.module = module;
    send(gone);
    state().modules.erase(module);
}

ze_module_handle_t moduleHandle(zetl_module_t module) { return reinterpret_cast<ze_module_handle_t>(module); }
ze_kernel_handle_t kernelHandle(zetl_module_t module) {
    return reinterpret_cast<ze_kernel_handle_t>(module + kKernelBit);
}

void enterProcess() {
    const auto lock = enter("");
    state().entered = true;
    send(event(ZETL_EVENT_PROCESS_ENTRY));
}

void leaveProcess() {
    const auto lock = enter("");
    state().entered = false;
    send(event(ZETL_EVENT_PROCESS_EXIT));
}

void occupyThreads(const std::vector<std::uint32_t>& threads) {
    const auto lock = enter("");
    for (const auto thread : threads) state().threads[thread].occupied = true;
}

void stopThread(std::uint32_t thread, std::uint32_t cause) {
    const auto lock = enter("");
    send(stopped(thread, cause));
}

void stopThreadBesideOthers(std::uint32_t thread, std::uint32_t cause) {
    const auto [stop, target] = [&] {
        const auto lock = enter("");
        return std::pair(stopped(thread, cause), state().target);
    }();
    if (target.sink) target.sink(target.user, &stop);
}

void fault(std::uint64_t address, bool write) {
    const auto lock = enter("");
    auto fault = event(ZETL_EVENT_PAGE_FAULT);
    fault.address = address;
    fault.write = write;
    fault.cause = ZETL_STOP_FAULT;
    send(fault);
}

void end() {
    const auto lock = enter("");
    send(event(ZETL_EVENT_GONE));
}

void answerAtOnce(bool yes) {
    const auto lock = enter("");
    state().answerAtOnce = yes;
}

void answerHalts() {
    const auto lock = enter("");
    for (const auto& [set, token] : std::exchange(state().target.unanswered, {})) answer(set, token);
}

bool threadStopped(std::uint32_t thread) {
    const auto lock = enter("");
    return state().threads[thread].stopped;
}

bool targetOpen() {
    const auto lock = enter("");
    return state().target.sink != nullptr;
}

std::vector<std::uint64_t> releasedHolds() {
    const auto lock = enter("");
    return state().released;
}

void map(std::uint64_t address, const std::string& bytes) {
    const auto lock = enter("");
    state().memory[address] = bytes;
}

std::string memory(std::uint64_t address, std::size_t bytes) {
    const auto lock = enter("");
    const auto [content, offset] = find(address, bytes);
    return content ? content->substr(offset, bytes) : "";
}

}  // namespace zetl::test::fake
