// What the kernels with variants take and return: one table of functions per level (wide.hpp).
#pragma once
#include <cstddef>
#include <cstdint>

namespace twinset {

// Where the reading of ASCII text stands.
struct TextRun {
    const uint8_t* p;
    uint8_t* out;     // where lower case goes
    uint32_t* edge;   // where the next edge of a word goes
    uint32_t place;   // of `out`, as edges count
    uint64_t inside;  // 1 in the middle of a word
};

struct WideKernels {
    // Reads up to `blocks` times 64 bytes: lower case, and the place of every edge of a word. Ends
    // before a block with a character that needs a closer look. Overwrites up to 64 edges more.
    // Null where the loop that is built for every processor of the kind is as quick.
    void (*read_run)(TextRun& run, size_t blocks);

    // Copies bytes of a JSON string up to one that stops it (a quote, a backslash, a control
    // character), and returns how many; fewer where not much of `room` is left, which bounds both
    // places. `high` gets a high bit where a byte, perhaps one behind the stop, may not be ASCII.
    size_t (*copy_plain)(const uint8_t* p, size_t room, uint8_t* out, uint8_t& high);

    // For each of n values, x = mix(value ^ key): its upper half times `size` / 2^32 chooses a bin of
    // the sketch, in which its lower half stays if it is the least.
    void (*throw_values)(const uint64_t* values, size_t n, uint64_t key, uint32_t size, uint64_t* sketch);
};

}  // namespace twinset
