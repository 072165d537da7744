// A cuda-gdb in software, for machines that have none: of a process it knows the pid, of its GPU what is written here.
// Says what cuda-gdb 13.0 says. STAND_IN_GDB: "idle" has a process that does not use the GPU, "dies" ends when it is
// asked to interrupt, "faults" has a kernel that does.
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "kernels.h"
#include "stand_in/cubin.h"

namespace {

constexpr std::uint64_t kImage = 0x7f0000000000;
constexpr std::uint64_t kMemory = 0x7f1000000000;
constexpr unsigned kMemoryBytes = 8192;
constexpr std::uint64_t kSmallBytes = 0x1000;  // of local memory and parameters
constexpr unsigned kLanes[] = {32, 16};        // of the two warps on SM 1

std::string hex(std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%lx", value);
    return text;
}

class Debugger {
  public:
    Debugger() : mode_(std::getenv("STAND_IN_GDB") ? std::getenv("STAND_IN_GDB") : ""), memory_(kMemoryBytes, 0xa5) {
        names_ = {"pc", "errorpc"};
        for (int i = 0; i < 255; ++i) names_.push_back("R" + std::to_string(i));
        for (int i = 0; i < 7; ++i) names_.push_back("P" + std::to_string(i));
        for (int i = 0; i < 63; ++i) names_.push_back("UR" + std::to_string(i));
        for (int i = 0; i < 7; ++i) names_.push_back("UP" + std::to_string(i));
    }

    void serve() {
        say("=thread-group-added,id=\"i1\"\n(gdb) ");
        for (std::string line; next(line);) answer(line);
        leave(0);
    }

  private:
    [[noreturn]] void leave(int code) const {
        if (!image_.empty()) std::filesystem::remove_all(image_.parent_path());
        std::exit(code);
    }

    /// Waits for a command; meanwhile the program goes on and comes to a breakpoint.
    bool next(std::string& line) {
        pollfd from{STDIN_FILENO, POLLIN, 0};
        constexpr int kMilliseconds = 20;
        if (running_ && mode_ == "faults" && poll(&from, 1, kMilliseconds) == 0)
            stop("reason=\"signal-received\",signal-name=\"CUDA_EXCEPTION_14\",");
        while (running_ && poll(&from, 1, kMilliseconds) == 0) {
            if (waitpid(-1, nullptr, WNOHANG | __WALL) > 0) {
                running_ = false;
                say("*stopped,reason=\"exited-normally\"");
            }
            if (!breakpoints_.empty()) break;
        }
        while (running_ && !breakpoints_.empty() && poll(&from, 1, kMilliseconds) == 0) {
            pc_ = breakpoints_.begin()->second;
            warp_ = 0;
            stop("reason=\"breakpoint-hit\",disp=\"keep\",bkptno=\"1\",");
        }
        line.clear();
        char c = 0;
        while (read(STDIN_FILENO, &c, 1) == 1) {
            if (c == '\n') return true;
            line += c;
        }
        return false;
    }

    void answer(const std::string& command) {
        const std::pair<const char*, std::function<void(const std::string&)>> kCommands[] = {
            {"-gdb-set var $", [this](const auto& rest) { setRegister(rest); }},
            {"-gdb-set var *(@global unsigned char*)", [this](const auto& rest) { setMemory(rest); }},
            {"-gdb-set var *(@local unsigned char*)", [this](const auto& rest) { setSmall(rest, own_[warp_][lane_]); }},
            {"-gdb-set ", [](const auto&) { say("^done"); }},
            {"-target-attach ", [this](const auto& rest) { attach(rest); }},
            {"-cuda-info-devices", [this](const auto&) { devices(); }},
            {"-cuda-info-sms device 0", [](const auto&) { sms(); }},
            {"-cuda-info-warps device 0 sm ", [this](const auto& rest) { warps(rest); }},
            {"-cuda-info-lanes device 0 sm 1 warp ", [](const auto& rest) { lanes(rest); }},
            {"-cuda-info-kernels", [](const auto&) { kernels(); }},
            {"-cuda-focus-switch device 0 sm ", [this](const auto& rest) { focus(rest); }},
            {"-data-list-register-names", [this](const auto&) { registerNames(); }},
            {"-data-list-register-values x", [this](const auto& rest) { registerValues(rest); }},
            {"-interpreter-exec console \"output/x *(@global unsigned char*)",
             [this](const auto& rest) { memory(rest); }},
            {"-interpreter-exec console \"output/x *(@local unsigned char*)",
             [this](const auto& rest) { small(rest, own_[warp_][lane_]); }},
            {"-interpreter-exec console \"output/x *(@parameter unsigned char*)",
             [this](const auto& rest) { small(rest, parameters_); }},
            {"-break-insert *", [this](const auto& rest) { insertBreakpoint(rest); }},
            {"-break-delete ", [this](const auto& rest) { deleteBreakpoint(rest); }},
            {"-exec-continue", [this](const auto&) { run(); }},
            {"-exec-step-instruction", [this](const auto&) { step(); }},
            {"-exec-interrupt", [this](const auto&) { interrupt(); }},
            {"-target-detach", [](const auto&) { say("=thread-group-exited,id=\"i1\"\n^done"); }},
            {"-gdb-exit", [this](const auto&) { leave(0); }},
        };
        for (const auto& [name, function] : kCommands)
            if (command.starts_with(name)) return function(command.substr(std::string(name).size()));
        say("^error,msg=\"Undefined MI command: " + command + "\"");
    }

    static void say(const std::string& text) { std::cout << text << std::endl; }

    /// Traces it as a debugger does: its parent sees its end once this process has seen it, or has ended itself.
    void attach(const std::string& pid) {
        ptrace(PTRACE_SEIZE, static_cast<pid_t>(std::atoi(pid.c_str())), nullptr, nullptr);
        say("=thread-created,id=\"1\",group-id=\"i1\"\n~\"[New LWP 2]\\n\"\n^done");
        image_ = std::filesystem::temp_directory_path() / "cuda-dbg" / std::to_string(getpid()) / "session1";
        std::filesystem::create_directories(image_);
        const std::string image = stand_in::cubinOf(zetl::test::kKernels, kImage);
        std::ofstream(image_ / "elf.1.2.o.abc", std::ios::binary) << image;
        pc_ = kImage + firstCode(image);
        say("\x01^running\n*running,thread-id=\"all\"\n*stopped,reason=\"signal-received\",signal-name=\"0\",stopped-"
            "threads=\"all\"");
    }
    static std::uint64_t firstCode(const std::string& image) {
        Elf64_Ehdr head{};
        Elf64_Shdr section{};
        std::memcpy(&head, image.data(), sizeof head);
        std::memcpy(&section, image.data() + head.e_shoff + sizeof section, sizeof section);
        return section.sh_offset;
    }

    void devices() const {
        if (mode_ == "idle") return say("^error,msg=\"No CUDA devices.\"");
        say("^done,InfoCudaDevicesTable={nr_rows=\"1\",hdr=[{width=\"1\",colhdr=\" \"}],body=[InfoCudaDevicesRow={"
            "current=\"*\",device=\"0\",pci_bus=\"00:00.0\",name=\"stand-in\"}]}");
    }
    static void sms() {
        say("^done,InfoCudaSmsTable={nr_rows=\"2\",body=[InfoCudaSmsRow={current=\" "
            "\",sm=\"0\",active_warps_mask=\"0x0\"},"
            "InfoCudaSmsRow={current=\"*\",sm=\"1\",active_warps_mask=\"0x0000000000000003\"}]}");
    }
    void warps(const std::string& rest) const {
        std::string all;
        for (unsigned warp = 0; rest == "1" && warp < 2; ++warp)
            all += std::string(warp == 0 ? "" : ",") + "InfoCudaWarpsRow={current=\" \",warp=\"" +
                   std::to_string(warp) + "\",active_lanes_mask=\"" + (warp == 0 ? "0xffffffff" : "0x0000fff0") +
                   "\",divergent_lanes_mask=\"" + (warp == 0 ? "0x00000000" : "0x0000000f") +
                   "\",active_physical_pc=\"" + hex(pc_) + "\",kernel=\"0\",blockIdx=\"(" + std::to_string(warp) +
                   ",0,0)\",threadIdx=\"(0,0,0)\"}";
        say("^done,InfoCudaWarpsTable={nr_rows=\"2\",nr_cols=\"8\",hdr=[{width=\"1\",colhdr=\" \"}],body=[" + all +
            "]}");
    }
    static void lanes(const std::string& rest) {
        std::string all;
        for (unsigned lane = 0; lane < kLanes[rest == "1"]; ++lane)
            all += std::string(lane == 0 ? "" : ",") + "InfoCudaLanesRow={current=\" \",lane=\"" +
                   std::to_string(lane) + "\",state=\"active\",physical_pc=\"0x0\",threadIdx=\"(" +
                   std::to_string(lane) + ",0,0)\",exception=\"None\"}";
        say("^done,InfoCudaLanesTable={nr_rows=\"32\",nr_cols=\"6\",hdr=[{width=\"1\",colhdr=\" \"}],body=[" + all +
            "]}");
    }
    static void kernels() {
        say("^done,InfoCudaKernelsTable={nr_rows=\"1\",nr_cols=\"10\",hdr=[{width=\"1\",colhdr=\" \"}],body=["
            "InfoCudaKernelsRow={current=\"*\",kernel=\"0\",device=\"0\",grid=\"1\",status=\"Active\",gridDim=\"(2,1,1)"
            "\","
            "blockDim=\"(32,1,1)\",invocation=\"spin(,args=[])\"}]}");
    }
    void focus(const std::string& rest) {
        unsigned sm = 0;
        unsigned warp = 0;
        unsigned lane = 0;
        std::sscanf(rest.c_str(), "%u warp %u lane %u", &sm, &warp, &lane);
        if (sm != 1 || warp > 1 || lane >= kLanes[warp])
            return say("^error,msg=\"Invalid coordinates requested. CUDA focus unchanged.\"");
        warp_ = warp;
        lane_ = lane;
        looksAtDevice_ = true;
        say("^done," + place());
    }
    std::string place() const {
        return "CudaFocus={device=\"0\",sm=\"1\",warp=\"" + std::to_string(warp_) + "\",lane=\"" +
               std::to_string(lane_) + "\",kernel=\"0\",grid=\"1\",blockIdx=\"(" + std::to_string(warp_) +
               ",0,0)\",threadIdx=\"(" + std::to_string(lane_) + ",0,0)\"}";
    }
    void stop(const std::string& reason) {
        running_ = false;
        say("*stopped," + reason + place() + ",frame={addr=\"" + hex(pc_) + "\",args=[]},stopped-threads=\"all\"");
    }

    void registerNames() const {
        if (!looksAtDevice_) return say("^done,register-names=[\"rax\",\"rip\"]");
        std::string all;
        for (const auto& name : names_) all += "\"" + name + "\",";
        say("^done,register-names=[" + all + "\"\"]");
    }
    std::string valueOf(const std::string& name) const {
        if (name == "pc") return hex(pc_);
        if (name == "errorpc") return mode_ == "faults" ? hex(pc_) : "<unavailable>";
        const auto found = registers_.find(key(name));
        return hex(found == registers_.end() ? 0 : found->second);
    }
    std::string key(const std::string& name) const {
        return std::to_string(warp_) + "/" + (name[0] == 'U' ? "" : std::to_string(lane_)) + "/" + name;
    }
    void registerValues(const std::string& rest) const {
        std::string all;
        char* at = const_cast<char*>(rest.c_str());
        while (*at != '\0') {
            const auto number = std::strtoul(at, &at, 10);
            all += std::string(all.empty() ? "" : ",") + "{number=\"" + std::to_string(number) + "\",value=\"" +
                   valueOf(names_.at(number)) + "\"}";
        }
        say("^done,register-values=[" + all + "]");
    }
    void setRegister(const std::string& rest) {
        const auto end = rest.find('=');
        registers_[key(rest.substr(0, end))] = std::strtoull(rest.c_str() + end + 1, nullptr, 0);
        say("^done");
    }

    bool has(std::uint64_t address, std::uint64_t bytes) const {
        return !running_ && address >= kMemory && address - kMemory <= memory_.size() &&
               bytes <= memory_.size() - (address - kMemory);
    }
    void memory(const std::string& rest) const {
        char* end = nullptr;
        const auto address = std::strtoull(rest.c_str(), &end, 16);
        const auto bytes = std::strtoull(end + 1, nullptr, 10);
        if (!has(address, bytes))
            return say(
                "&\"Error: read_global_memory()\\n\"\n^error,msg=\"Error: read_global_memory(): CUDBG_ERROR\\n\"");
        std::string all;
        for (std::uint64_t i = 0; i < bytes; ++i) all += (i == 0 ? "" : ", ") + hex(memory_[address - kMemory + i]);
        say("~\"{" + all + "}\"\n^done");
    }
    using Small = std::map<std::uint64_t, std::uint8_t>;
    /// A memory in which a byte that nobody wrote is the last one of its address.
    static void small(const std::string& rest, const Small& bytesThere) {
        char* end = nullptr;
        const auto address = std::strtoull(rest.c_str(), &end, 16);
        const auto bytes = std::strtoull(end + 1, nullptr, 10);
        if (address + bytes > kSmallBytes) return say("^error,msg=\"Error: Failed to read memory\"");
        std::string all;
        for (auto at = address; at < address + bytes; ++at) {
            const auto found = bytesThere.find(at);
            all += (at == address ? "" : ", ") + hex(found == bytesThere.end() ? at & 0xff : found->second);
        }
        say(bytes == 1 ? "~\"" + all + "\"\n^done" : "~\"{" + all + "}\"\n^done");
    }
    static void setSmall(const std::string& rest, Small& bytesThere) {
        char* end = nullptr;
        const auto address = std::strtoull(rest.c_str(), &end, 16);
        bytesThere[address] = static_cast<std::uint8_t>(std::strtoul(end + 1, nullptr, 0));
        say("^done");
    }
    void setMemory(const std::string& rest) {
        char* end = nullptr;
        const auto address = std::strtoull(rest.c_str(), &end, 16);
        if (!has(address, 1)) return say("^error,msg=\"Cannot access memory\"");
        memory_[address - kMemory] = static_cast<std::uint8_t>(std::strtoul(end + 1, nullptr, 0));
        say("^done");
    }

    void insertBreakpoint(const std::string& rest) {
        breakpoints_[++lastBreakpoint_] = std::strtoull(rest.c_str(), nullptr, 16);
        say("^done,bkpt={number=\"" + std::to_string(lastBreakpoint_) + "\",type=\"breakpoint\"}");
    }
    void deleteBreakpoint(const std::string& rest) {
        say(breakpoints_.erase(static_cast<unsigned>(std::atoi(rest.c_str()))) ? "^done"
                                                                               : "^error,msg=\"No breakpoint\"");
    }
    void run() {
        running_ = true;
        say("^running\n*running,thread-id=\"all\"");
    }
    void step() {
        run();
        pc_ += 16;
        stop("reason=\"end-stepping-range\",");
    }
    void interrupt() {
        if (mode_ == "dies") leave(1);
        say("^done");
        stop("reason=\"signal-received\",signal-name=\"SIGINT\",signal-meaning=\"Interrupt\",");
    }

    const std::string mode_;
    std::vector<std::string> names_;
    std::vector<std::uint8_t> memory_;
    std::map<unsigned, std::map<unsigned, Small>> own_;  ///< by warp and lane
    Small parameters_;
    std::map<std::string, std::uint64_t> registers_;
    std::map<unsigned, std::uint64_t> breakpoints_;
    unsigned lastBreakpoint_ = 0;
    std::filesystem::path image_;
    std::uint64_t pc_ = 0;
    unsigned warp_ = 0;
    unsigned lane_ = 0;
    bool running_ = false;
    bool looksAtDevice_ = false;
};

}  // namespace

int main() { Debugger().serve(); }
