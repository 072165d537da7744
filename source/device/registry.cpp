#include "device/registry.h"

namespace zetl::device {
namespace {

template <class Map, class Key>
auto lookUp(const Map& map, Key key) -> std::optional<typename Map::mapped_type> {
    const auto found = map.find(key);
    if (found == map.end()) return std::nullopt;
    return found->second;
}

}  // namespace

void Registry::moduleCreated(ze_module_handle_t module, LiveModule description) {
    content_.write([&](Content& content) { content.modules.insert_or_assign(module, std::move(description)); });
}

void Registry::moduleDestroyed(ze_module_handle_t module) {
    content_.write([&](Content& content) { content.modules.erase(module); });
}

void Registry::kernelCreated(ze_kernel_handle_t kernel, ze_module_handle_t module) {
    content_.write([&](Content& content) {
        if (const auto known = lookUp(content.modules, module)) content.kernels.insert_or_assign(kernel, *known);
    });
}

void Registry::kernelDestroyed(ze_kernel_handle_t kernel) {
    content_.write([&](Content& content) { content.kernels.erase(kernel); });
}

void Registry::listCreated(ze_command_list_handle_t list, ze_device_handle_t device) {
    content_.write([&](Content& content) { content.lists.insert_or_assign(list, device); });
}

void Registry::listDestroyed(ze_command_list_handle_t list) {
    content_.write([&](Content& content) { content.lists.erase(list); });
}

void Registry::queueCreated(ze_command_queue_handle_t queue, ze_device_handle_t device) {
    content_.write([&](Content& content) { content.queues.insert_or_assign(queue, device); });
}

void Registry::queueDestroyed(ze_command_queue_handle_t queue) {
    content_.write([&](Content& content) { content.queues.erase(queue); });
}

std::optional<LiveModule> Registry::module(ze_module_handle_t module) const {
    return content_.read([&](const Content& content) { return lookUp(content.modules, module); });
}

std::optional<LiveModule> Registry::moduleOf(ze_kernel_handle_t kernel) const {
    return content_.read([&](const Content& content) { return lookUp(content.kernels, kernel); });
}

std::optional<ze_device_handle_t> Registry::deviceOf(ze_command_list_handle_t list) const {
    return content_.read([&](const Content& content) { return lookUp(content.lists, list); });
}

std::optional<ze_device_handle_t> Registry::deviceOf(ze_command_queue_handle_t queue) const {
    return content_.read([&](const Content& content) { return lookUp(content.queues, queue); });
}

}  // namespace zetl::device
