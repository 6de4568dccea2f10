// Requested values of the tunable parameters: numbers in memory that another thread writes, read once per tick.
//
// Writing and reading of a double is atomic on all supported machines, so no thread waits.

#include <cstdint>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static ffi::Error Tunables(ffi::Buffer<ffi::S64> handle, ffi::Buffer<ffi::S64> after,
                        ffi::Result<ffi::Buffer<ffi::S64>> same, ffi::Result<ffi::Buffer<ffi::F64>> values) {
  const volatile double* requests = reinterpret_cast<const volatile double*>(handle.typed_data()[0]);
  double* to = values->typed_data();
  for (size_t i = 0; i < values->element_count(); i++) to[i] = requests[i];
  same->typed_data()[0] = after.typed_data()[0];
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(DovetailTunables, Tunables,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Arg<ffi::Buffer<ffi::S64>>()
                                  .Ret<ffi::Buffer<ffi::S64>>()
                                  .Ret<ffi::Buffer<ffi::F64>>());
