// What a Print instruction writes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/evaluate/evaluate.h"

namespace pykc::reference {

/// `format` with each conversion replaced by its operand, as printf does; %s takes a bool and writes True or False.
std::string print_text(std::string_view format, std::span<const ir::Scalar> operands);

}  // namespace pykc::reference
