#include "emulator/access/target.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/debug_wait.h"
#include "base/never_destroyed.h"
#include "emulator/access/module_table.h"

namespace zetl::emulator::access {
namespace {

static_assert(ZETL_ANY == machine::kAnyCoordinate);

zetl_event_t eventOf(zetl_event_kind_t kind) {
    zetl_event_t event{};
    event.size = sizeof event;
    event.kind = kind;
    return event;
}

}  // namespace

bool Target::attach() {
    for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile) {
        if (device_.tile(tile).control().attach(
                [this, tile](const machine::StopEvent& event) { receive(tile, event); }))
            continue;
        while (tile-- > 0) device_.tile(tile).control().detach();
        return false;
    }
    return true;
}

void Target::detach() {
    for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile) device_.tile(tile).control().detach();
    const Lock guard(mutex_);
    sink_ = nullptr;
}

void Target::send(zetl_event_t event) {
    const Lock guard(mutex_);
    if (sink_) sink_(user_, &event);
}

zetl_thread_t Target::global(std::uint32_t tile, const machine::ThreadId& thread) const {
    return {{tile * device_.profile().slices + thread.slice, thread.subslice, thread.eu, thread.thread, 0, 0}};
}

std::vector<TileThread> Target::tilesOf(const zetl_thread_t& set) const {
    const auto slices = device_.profile().slices;
    std::vector<TileThread> all;
    for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile) {
        const bool every = set.level[0] == ZETL_ANY;
        if (!every && set.level[0] / slices != tile) continue;
        all.push_back({tile, {every ? ZETL_ANY : set.level[0] % slices, set.level[1], set.level[2], set.level[3]}});
    }
    return all;
}

zetl_status_t Target::halt(const zetl_thread_t& set, std::uint64_t token) {
    const auto tiles = tilesOf(set);
    {
        const Lock guard(mutex_);
        halts_[token] = {set, static_cast<std::uint32_t>(tiles.size()), 0};
    }
    for (const auto& place : tiles) control(place).halt(place.thread, token);
    return ZETL_OK;
}

void Target::halted(std::uint64_t token, std::uint64_t stopped) {
    auto event = eventOf(ZETL_EVENT_HALTED);
    {
        const Lock guard(mutex_);
        const auto found = halts_.find(token);
        if (found == halts_.end()) return;
        found->second.stopped += stopped;
        if (--found->second.tiles > 0) return;
        event.thread = found->second.set;
        event.stopped = found->second.stopped;
        event.token = token;
        halts_.erase(found);
    }
    send(event);
}

void Target::receive(std::uint32_t tile, const machine::StopEvent& stop) {
    if (stop.kind == machine::StopEvent::Kind::halted) return halted(stop.token, stop.stopped);
    auto event = eventOf(ZETL_EVENT_STOPPED);
    event.thread = global(tile, stop.thread);
    event.cause = causeOf(stop.cause);
    event.address = stop.fault.address;
    event.bytes = stop.fault.bytes;
    event.write = stop.fault.access != machine::Access::read;
    send(event);
}

zetl_status_t Target::run(const zetl_thread_t& set) {
    std::size_t threads = 0;
    for (const auto& place : tilesOf(set)) threads += control(place).run(place.thread);
    return threads > 0 ? ZETL_OK : ZETL_NOT_READY;
}

std::vector<zetl_thread_t> Target::stopped(const zetl_thread_t& set) {
    std::vector<zetl_thread_t> threads;
    for (const auto& place : tilesOf(set))
        for (const auto& each : control(place).stopped())
            if (place.thread.contains(each.thread)) threads.push_back(global(place.tile, each.thread));
    return threads;
}

zetl_status_t Target::release(std::uint64_t hold) { return Targets::instance().release(*this, hold); }
void Target::close() { Targets::instance().close(*this); }

Targets& Targets::instance() {
    static NeverDestroyed<Targets> targets;
    return *targets;
}

template <class F>
void Targets::eachConcerned(const driver::Device& device, F&& f) {
    for (const auto& target : targets_)
        if (target->concerns(device)) f(*target);
}

std::size_t Targets::queuesOn(const driver::Device& device) const {
    std::size_t count = 0;
    for (const auto& [owner, queues] : queues_)
        if (device.sharesTilesWith(*owner)) count += queues;
    return count;
}

bool Targets::held(zetl_module_t module) const {
    return std::any_of(holds_.begin(), holds_.end(), [module](const Hold& hold) { return hold.module == module; });
}

void Targets::sendLoad(Target& target, zetl_module_t module, std::uint64_t hold) {
    auto event = eventOf(ZETL_EVENT_MODULE_LOAD);
    event.module = module;
    event.hold = hold;
    target.send(event);
}

provider::Made<provider::Target> Targets::open(driver::Device& device, zetl_sink_t sink, void* user) {
    auto target = std::make_shared<Target>(device, sink, user);
    const Lock guard(mutex_);
    if (!target->attach()) return ZETL_BUSY;
    targets_.push_back(target);
    if (queuesOn(device) > 0) target->send(eventOf(ZETL_EVENT_PROCESS_ENTRY));
    for (const auto module : ModuleTable::instance().of(device)) announce(*target, module);
    doorIsOpen_ = true;
    released_.notify_all();
    return target;
}

void Targets::announce(Target& target, zetl_module_t module) {
    const bool missed = launched_.contains(module);
    if (!missed) holds_.push_back({&target, nextHold_, module});
    sendLoad(target, module, missed ? 0 : nextHold_++);
}

void Targets::close(Target& target) {
    {
        const Lock guard(mutex_);
        std::erase_if(targets_, [&](const auto& each) { return each.get() == &target; });
        std::erase_if(holds_, [&](const Hold& hold) { return hold.target == &target; });
    }
    target.detach();
    released_.notify_all();
}

zetl_status_t Targets::release(const Target& target, std::uint64_t hold) {
    {
        const Lock guard(mutex_);
        if (!std::erase_if(holds_, [&](const Hold& each) { return each.target == &target && each.id == hold; }))
            return ZETL_GONE;
    }
    released_.notify_all();
    return ZETL_OK;
}

void Targets::queueCreated(driver::Device& device) {
    const Lock guard(mutex_);
    ++queues_[&device];
    eachConcerned(device, [this](Target& target) ZETL_REQUIRES(mutex_) {
        if (queuesOn(target.device()) == 1) target.send(eventOf(ZETL_EVENT_PROCESS_ENTRY));
    });
}

void Targets::queueDestroyed(driver::Device& device) {
    const Lock guard(mutex_);
    --queues_[&device];
    eachConcerned(device, [this](Target& target) ZETL_REQUIRES(mutex_) {
        if (queuesOn(target.device()) == 0) target.send(eventOf(ZETL_EVENT_PROCESS_EXIT));
    });
}

void Targets::moduleCreated(driver::Module& module) {
    const Lock guard(mutex_);
    ModuleTable::instance().add(module);
    eachConcerned(module.device(), [&](Target& target) ZETL_REQUIRES(mutex_) { announce(target, module.id()); });
}

void Targets::moduleDestroyed(driver::Module& module) {
    {
        const Lock guard(mutex_);
        ModuleTable::instance().remove(module);
        std::erase_if(holds_, [&](const Hold& hold) { return hold.module == module.id(); });
        launched_.erase(module.id());
        auto event = eventOf(ZETL_EVENT_MODULE_UNLOAD);
        event.module = module.id();
        eachConcerned(module.device(), [&](Target& target) { target.send(event); });
    }
    released_.notify_all();  // a launch may wait for the acknowledgement that cannot come any more
}

void Targets::transferFault(driver::Device& device, std::uint64_t address, bool write, bool forbidden) {
    const Lock guard(mutex_);
    auto event = eventOf(ZETL_EVENT_PAGE_FAULT);
    event.cause = forbidden ? ZETL_STOP_FAULT : 0;
    event.address = address;
    event.write = write;
    eachConcerned(device, [&](Target& target) { target.send(event); });
}

void Targets::waitWhileHeld(zetl_module_t module) {
    Lock lock(mutex_);
    if (!doorIsOpen_) {
        released_.wait_for(lock, debugWait(), [&]() ZETL_REQUIRES(mutex_) { return doorIsOpen_; });
        doorIsOpen_ = true;
    }
    released_.wait(lock, [&]() ZETL_REQUIRES(mutex_) { return !held(module); });
    launched_.insert(module);
}

}  // namespace zetl::emulator::access
