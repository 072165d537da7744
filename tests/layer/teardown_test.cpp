// The end of the process, of a thread, of a fork's child, and of the libraries above and below the layer.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

/// Calls Level Zero and traces while static objects are destroyed, after the layer's own static objects are gone.
struct CallsAtExit {
    BarrierTracer* tracer = nullptr;
    ~CallsAtExit() {
        if (!tracer) return;
        if (barrier() != ZE_RESULT_SUCCESS || tracer->epilogues < 1) _exit(3);
        if (tracer->enable(false) != ZE_RESULT_SUCCESS || zelTracerDestroy(tracer->handle()) != ZE_RESULT_SUCCESS)
            _exit(4);
    }
} callsAtExit;

SCENARIO(staticDestructorsMayCall) {
    callsAtExit.tracer = new BarrierTracer;
    callsAtExit.tracer->enable();
    std::atexit([] {
        if (barrier() != ZE_RESULT_SUCCESS) _exit(5);
    });
}
TEST(Teardown, StaticDestructors) {
    for (const auto slots : {Slots::tracing, Slots::both}) EXPECT_RUNS(fresh("staticDestructorsMayCall", slots));
}

SCENARIO(enabledTracerMayBeLeftBehind) {
    auto* tracer = new BarrierTracer;
    tracer->enable();
    barrier();
}
TEST(Teardown, TracerLeftEnabled) { EXPECT_RUNS(fresh("enabledTracerMayBeLeftBehind")); }

/// The process ends while other threads are inside traced calls and between them.
SCENARIO(exitWithThreadsInCalls) {
    auto* tracer = new BarrierTracer;
    tracer->enable();
    static std::atomic<long> calls{0};
    for (int i = 0; i < 3; ++i)
        std::thread([] {
            for (;;) {
                barrier();
                ++calls;
            }
        }).detach();
    EXPECT_TRUE(await([] { return calls > 1000; }));
    std::fflush(nullptr);
    // A loader before 1.11 frees what its functions read, so leave without its destructor.
    _exit(testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? 1 : 0);
}
TEST(Teardown, ExitWithThreadsInCalls) { EXPECT_RUNS(fresh("exitWithThreadsInCalls")); }

int statusOf(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

SCENARIO(forkedChildTracesAndDestroys) {
    BarrierTracer tracer;
    tracer.enable();
    DriverGate gate;
    std::thread caller([] { barrier(); });
    ASSERT_TRUE(gate.awaitArrivals(1));
    const pid_t child = fork();  // with a thread inside a traced call, which the child does not have
    if (child == 0) {
        gate.open();
        const bool traced = barrier() == ZE_RESULT_SUCCESS && tracer.prologues == 2 && tracer.epilogues == 1;
        _exit(!traced ? 1 : tracer.destroy() != ZE_RESULT_SUCCESS ? 2 : 0);
    }
    EXPECT_EQ(statusOf(child), 0);
    gate.open();
    caller.join();
    EXPECT_EQ(tracer.epilogues, 1) << "the parent's own call is complete";
}
TEST(Teardown, Fork) { EXPECT_RUNS(fresh("forkedChildTracesAndDestroys")); }

SCENARIO(forkInsideACallback) {
    BarrierTracer tracer;
    pid_t child = -1;
    tracer.onPrologue = [&](BarrierParams&, void**) { child = fork(); };
    tracer.enable();
    barrier();
    tracer.onPrologue = nullptr;
    if (child == 0) {
        const bool traced = barrier() == ZE_RESULT_SUCCESS && tracer.epilogues == 2;
        _exit(traced && tracer.destroy() == ZE_RESULT_SUCCESS ? 0 : 1);
    }
    EXPECT_EQ(statusOf(child), 0);
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(Teardown, ForkInsideACallback) { EXPECT_RUNS(fresh("forkInsideACallback")); }

SCENARIO(threadsMayComeAndGo) {
    BarrierTracer tracer;
    tracer.enable();
    for (int i = 0; i < 200; ++i) std::thread([] { barrier(); }).join();
    EXPECT_EQ(tracer.epilogues, 200);
}
TEST(Teardown, ThreadsComeAndGo) { EXPECT_RUNS(fresh("threadsMayComeAndGo")); }

/// Level Zero calls from the destructor of a thread's own data, when the layer's may be gone already.
struct CallsAtThreadEnd {
    bool armed = false;
    ~CallsAtThreadEnd() {
        if (armed) barrier();
    }
};
SCENARIO(threadLocalDestructorsMayCall) {
    BarrierTracer tracer;
    tracer.enable();
    std::thread([] {
        static thread_local CallsAtThreadEnd early;
        early.armed = true;
        barrier();
        static thread_local CallsAtThreadEnd late;
        late.armed = true;
    }).join();
    EXPECT_EQ(tracer.prologues, 3);
    EXPECT_EQ(tracer.epilogues, 3);
    EXPECT_EQ(tracer.destroy(), ZE_RESULT_SUCCESS);
}
TEST(Teardown, ThreadLocalDestructors) { EXPECT_RUNS(fresh("threadLocalDestructorsMayCall")); }

SCENARIO(closingTheLayerIsHarmless) {
    void* const layer = dlopen(inBuildTree("lib/libze_tools_layer.so.1").c_str(), RTLD_LAZY | RTLD_LOCAL);
    ASSERT_TRUE(layer) << dlerror();
    BarrierTracer tracer;
    tracer.enable();
    dlclose(layer);
    dlclose(layer);
    barrier();
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(Teardown, LayerClosed) { EXPECT_RUNS(fresh("closingTheLayerIsHarmless")); }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // both refuse libraries that bind deeply
/// A copy of the loader under another name is another loader to the dynamic linker. It finds its own functions only if
/// it looks at itself first, as a loader that is linked into a library does.
class LoaderCopy {
  public:
    LoaderCopy() {
        static int copies = 0;
        const auto name = "loader_copy_" + std::to_string(getpid()) + "_" + std::to_string(++copies);
        path_ = std::filesystem::temp_directory_path() / name;
        Dl_info info{};
        EXPECT_TRUE(dladdr(reinterpret_cast<void*>(loaderFunction("zeInit")), &info));
        std::filesystem::copy_file(info.dli_fname, path_);
        library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        EXPECT_TRUE(library_) << dlerror();
        EXPECT_NE(reinterpret_cast<void*>(function<decltype(zeInit)>("zeInit")), loaderFunction("zeInit"));
    }
    ~LoaderCopy() { std::filesystem::remove(path_); }
    LoaderCopy(const LoaderCopy&) = delete;
    LoaderCopy& operator=(const LoaderCopy&) = delete;

    template <class F>
    F* function(const char* name) const {
        return reinterpret_cast<F*>(dlsym(library_, name));
    }
    /// zeInit, and a driver is there.
    void initialise() const {
        EXPECT_EQ(function<decltype(zeInit)>("zeInit")(0), ZE_RESULT_SUCCESS);
        std::uint32_t count = 0;
        EXPECT_EQ(function<decltype(zeDriverGet)>("zeDriverGet")(&count, nullptr), ZE_RESULT_SUCCESS);
        EXPECT_EQ(count, 1u);
    }
    /// True if that was the end of it.
    bool close() const {
        dlclose(library_);
        return dlopen(path_.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr;
    }

  private:
    std::filesystem::path path_;
    void* library_ = nullptr;
};

SCENARIO(secondLoaderWorksBesideTheFirst) {
    BarrierTracer tracer;
    tracer.enable();
    barrier();
    const LoaderCopy second;
    second.initialise();
    barrier();
    EXPECT_EQ(tracer.epilogues, 2) << "the first loader's calls are still traced, once";
}
TEST(Teardown, SecondLoader) {
    for (const auto slots : {Slots::tracing, Slots::both}) EXPECT_RUNS(fresh("secondLoaderWorksBesideTheFirst", slots));
}

/// Loaders that come and go: each is closed, driver and all, before the next is opened. The layer stays, and so does
/// what was made in it.
SCENARIO(loaderAfterLoaderIsTraced) {
    constexpr int kLoaders = 3;
    zel_tracer_handle_t tracer = nullptr;
    int calls = 0;
    for (int i = 0; i < kLoaders; ++i) {
        const LoaderCopy loader;
        loader.initialise();
        if (!tracer) {
            const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, &calls};
            ASSERT_EQ(loader.function<decltype(zelTracerCreate)>("zelTracerCreate")(&desc, &tracer), ZE_RESULT_SUCCESS);
            const auto count = [](ze_driver_get_params_t*, ze_result_t, void* user, void**) {
                ++*static_cast<int*>(user);
            };
            const auto listen =
                loader.function<decltype(zelTracerDriverGetRegisterCallback)>("zelTracerDriverGetRegisterCallback");
            ASSERT_EQ(listen(tracer, ZEL_REGISTER_PROLOGUE, count), ZE_RESULT_SUCCESS);
            const auto enable = loader.function<decltype(zelTracerSetEnabled)>("zelTracerSetEnabled");
            ASSERT_EQ(enable(tracer, true), ZE_RESULT_SUCCESS);
        }
        loader.initialise();
        EXPECT_EQ(calls, 2 * i + 1) << "loader " << i;
        EXPECT_TRUE(loader.close());
    }
    const auto enable = reinterpret_cast<decltype(&zelTracerSetEnabled)>(layerFunction("zelTracerSetEnabled"));
    const auto destroy = reinterpret_cast<decltype(&zelTracerDestroy)>(layerFunction("zelTracerDestroy"));
    EXPECT_EQ(enable(tracer, false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(destroy(tracer), ZE_RESULT_SUCCESS);
}
TEST(Teardown, LoaderAfterLoader) {
    for (const auto slots : {Slots::tracing, Slots::both}) EXPECT_RUNS(fresh("loaderAfterLoaderIsTraced", slots));
}
#endif

}  // namespace
}  // namespace zetl::test
