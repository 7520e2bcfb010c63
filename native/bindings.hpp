// The parts of the module that are compiled by themselves.
#pragma once

#include <nanobind/nanobind.h>

namespace softpq {

void bind_sums(nanobind::module_& module);

}  // namespace softpq
