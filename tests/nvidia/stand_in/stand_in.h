// A GPU in software behind libcuda's names: enough of CUDA for the driver's tests where there is no GPU. Streams are
// threads, so that waits and signals meet in any order; kernels are known by their names (tests/nvidia/kernels.h).
//
// STAND_IN_FAILURES=cuMemAlloc_v2=2,... makes functions answer with an error.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace stand_in {

/// What the script says of a function; CUDA_SUCCESS unless it names it. The loss of the context comes first.
CUresult answerOf(const char* function);
#define ANSWER_AS_SCRIPTED \
    if (const CUresult scripted = stand_in::answerOf(__func__); scripted != CUDA_SUCCESS) return scripted

/// What a kernel's fault left behind, for the rest of the process.
extern std::atomic<CUresult> lost;

/// The device's timer.
std::uint64_t now();

/// Waits until every stream has done its work, or the device is lost.
void finishStreams();

/// The size of the allocation that contains an address; 0 if none does.
std::size_t allocationAt(CUdeviceptr address);
void noteAllocation(CUdeviceptr address, std::size_t bytes);
void forgetAllocation(CUdeviceptr address);

/// A launch as a kernel sees it.
struct Launch {
    unsigned groups = 1;
    unsigned threads = 1;
    std::vector<std::uint64_t> arguments;
    unsigned sharedBytes = 0;
    CUmodule module = nullptr;  ///< of the kernel
};
/// Where a module's variable is.
CUdeviceptr placeOf(CUmodule module, const std::string& global);
using KernelBody = void (*)(const Launch&);
/// Null if the name is not known.
KernelBody kernelNamed(const std::string& name);

}  // namespace stand_in

struct CUfunc_st {
    std::string name;
    std::vector<std::size_t> sizes;  ///< of the parameters
    stand_in::KernelBody body = nullptr;
    CUmodule module = nullptr;
};

struct CUevent_st {
    std::atomic<int> pending{0};
    std::atomic<std::uint64_t> time{0};
    CUgraph graph = nullptr;       ///< into which the stream was captured that recorded it last
    std::set<std::size_t> behind;  ///< the nodes before it there
};
