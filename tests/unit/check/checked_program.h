// A small program against the emulated driver, whose findings can be read: what tests of checks of commands and calls
// are made of.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "check/finding.h"
#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {

/// Lists, queues, events and memory by name. What a test leaves is ended with it, in the right order, without being
/// looked at. Waits of the host are those that the test asks for.
class CheckedProgramTest : public DriverTest {
  public:
    enum class Order { free, inOrder };

    void SetUp() override;
    void TearDown() override;

    /// An immediate asynchronous list. Made when it is used first; so are all others.
    ze_command_list_handle_t list(int number = 0, Order order = Order::free);
    ze_command_queue_handle_t queue(int number = 0);
    ze_event_handle_t event(const std::string& name);
    /// 256 bytes that were written.
    char* device(const std::string& name);
    char* shared(const std::string& name);
    ze_kernel_handle_t kernel(const std::string& name);

    void copy(ze_command_list_handle_t to, void* target, const void* source, std::size_t bytes = 256,
              ze_event_handle_t signal = nullptr, std::vector<ze_event_handle_t> waits = {});
    void fill(ze_command_list_handle_t to, void* target, std::size_t bytes = 256, ze_event_handle_t signal = nullptr);
    void barrier(ze_command_list_handle_t to);
    void signal(ze_command_list_handle_t to, const std::string& name);
    void wait(ze_command_list_handle_t to, const std::string& name);
    void hostWait(const std::string& name);
    void hostReset(const std::string& name);
    /// Waits for the list with a barrier and an event.
    void finish(ze_command_list_handle_t which);
    /// One group of 64 work-items, of a kernel with these pointers.
    void launch(ze_command_list_handle_t to, const std::string& name, std::vector<void*> arguments);
    /// A closed regular list.
    ze_command_list_handle_t closed(const std::function<void(ze_command_list_handle_t)>& append);
    void execute(ze_command_queue_handle_t on, ze_command_list_handle_t what, ze_fence_handle_t fence = nullptr);
    using DriverTest::driver;
    ze_context_handle_t itsContext() const { return context; }
    ze_device_handle_t itsDevice() const { return DriverTest::device; }

    /// The test ends these itself.
    void forget(const std::string& memory) { memories_.erase(memory); }
    void forgetEvents() { events_.clear(); }
    void forgetPool() { pool_ = nullptr; }
    void forgetKernels() { kernels_.clear(); }
    void forgetModule() { module_ = nullptr; }
    void forgetQueue(int number) { queues_.erase(number); }
    void forgetList(ze_command_list_handle_t which) { std::erase(regular_, which); }
    ze_event_pool_handle_t pool();
    ze_module_handle_t module();

    /// What was found since the last call.
    static std::vector<zetl::check::Finding> findings();
    /// How many threads of the program there are beside this one: sanitizers have some.
    static bool isAlone();

  private:
    std::map<int, ze_command_list_handle_t> lists_;
    std::vector<ze_command_list_handle_t> regular_;
    std::map<int, ze_command_queue_handle_t> queues_;
    std::map<std::string, ze_event_handle_t> events_;
    std::map<std::string, char*> memories_;
    std::map<std::string, ze_kernel_handle_t> kernels_;
    ze_event_pool_handle_t pool_ = nullptr;
    ze_module_handle_t module_ = nullptr;
    std::uint32_t eventCount_ = 0;
};

}  // namespace zetl::emulator::driver::test
