// How often a thread asks for heap memory by `new`.
#pragma once

namespace pykc::testing {

/// Of the calling thread, since it started.
long allocations();

}  // namespace pykc::testing
