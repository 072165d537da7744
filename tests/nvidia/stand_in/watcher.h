// What the stand-in for libcupti wants to know of the stand-in for libcuda.
#pragma once

namespace stand_in {

/// Called for each call that submits work.
struct Watcher {
    void (*called)(const char* function, unsigned call);  ///< on the thread that calls
    void (*began)(unsigned call);                         ///< on the stream's thread
    void (*ended)(unsigned call);
};

}  // namespace stand_in
