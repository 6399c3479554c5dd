// What a launch passes: types, for a kernel that is made for them, and values as the runtime takes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "pykc/runtime.h"
#include "script/functions/functions.h"
#include "script/values/outcome.h"
#include "script/values/scope.h"
#include "script/values/value.h"

namespace pykc::script {

/// The file that a call is compiled as: that of the kernel or function that is called where all functions that it is
/// passed are of it, else the main file.
const Scope& home_of(const Scope& main, const FunctionValue& callee, const std::vector<Value>& arguments);
/// What a request calls the function where it is compiled as the file `home`.
FunctionName name_of(const FunctionValue& function, const Program& program, const Scope& home);

/// The specialisation of a kernel for these arguments, compiled as the file `home`.
Outcome<KernelRequest> request_for(std::string kernel, const std::vector<Value>& arguments, const Program& program,
                                   const Scope& home);
/// Makes the type of an argument the constant that a `constexpr` parameter takes: a number, or a tuple of constants.
/// What is no constant stays a type, which the checker refuses.
Status set_constant(const Value& value, ArgumentType& argument);
/// Adds what a kernel is compiled for of an argument, as words: its type, or its value where it is a constant. False
/// for what has no such words, such as records.
bool add_words(const Value& value, bool is_constant, std::vector<std::uint64_t>& words);

/// What a kernel is passed: tuples element by element, and nothing for what it is compiled for.
void add_passed(const Value& value, std::vector<Value>& passed);
/// `memory` is where the array must be, null for the host; `held` keeps what the argument points to on the host.
Outcome<Argument> argument_of(const Value& value, const ParameterInfo& parameter, const Device& device,
                              DeviceOperations* memory, bool wraps_integers, std::vector<ArrayRef>& held);
/// What a launch will write is current on the device alone, or on the host where `device` is null.
Status will_write(const Array& array, DeviceOperations* device);

}  // namespace pykc::script
