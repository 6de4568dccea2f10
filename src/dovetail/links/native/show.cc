// Ring buffer with the newest records of a running loop, in a file that other processes can map and read.
//
// The writer never waits for a reader. `claimed` is increased before a row is written, `newest` after it: a reader copies
// rows and drops those that were claimed during the copy. The layout is described in `dovetail.links.ring`.

#include <atomic>
#include <cstdint>
#include <cstring>

#include "xla/ffi/api/ffi.h"

// The start of the file; rows of `width` doubles follow at `offset`.
struct Ring {
  uint8_t magic[8];
  uint64_t rows, width, offset;
  std::atomic<uint64_t> claimed, newest;  // numbers of rows, from 1
};

extern "C" void dovetail_show(Ring* ring, const double* values) {
  uint64_t number = ring->newest.load(std::memory_order_relaxed) + 1;
  ring->claimed.store(number, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  double* rows = reinterpret_cast<double*>(reinterpret_cast<uint8_t*>(ring) + ring->offset);
  memcpy(rows + (number - 1) % ring->rows * ring->width, values, 8 * ring->width);
  ring->newest.store(number, std::memory_order_release);
}

namespace ffi = xla::ffi;

// Without a ring (handle 0) nothing is written.
static ffi::Error Show(ffi::Buffer<ffi::S64> handle, ffi::Buffer<ffi::S64> after, ffi::Buffer<ffi::F64> values,
                       ffi::Result<ffi::Buffer<ffi::S64>> same) {
  Ring* ring = reinterpret_cast<Ring*>(handle.typed_data()[0]);
  if (ring && ring->width != values.element_count())
    return ffi::Error::InvalidArgument("the window was opened for other signals");
  if (ring) dovetail_show(ring, values.typed_data());
  same->typed_data()[0] = after.typed_data()[0];
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(DovetailShow, Show,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::F64>>()
                                  .Ret<ffi::Buffer<ffi::S64>>());
