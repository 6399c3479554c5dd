// `a[i]`, `a[1:n:2, ::-1]`, `a[mask]`: reading and writing parts of arrays, lists, tuples, ranges and strings.
#pragma once

#include "script/values/array.h"
#include "script/values/outcome.h"
#include "script/values/value.h"

namespace pykc::script {

/// An element as a number; a part as a view of the same elements; a selection by a mask or by an array of integers as
/// a new array.
Outcome<Value> get_item(const Value& object, const Value& index);
Status set_item(const Value& object, const Value& index, const Value& value);

/// The item `i` of anything that a loop goes over, and how many there are.
Outcome<std::int64_t> item_count(const Value& object);
Outcome<Value> item_at(const Value& object, std::int64_t i);
/// All items, for unpacking and the like.
Outcome<std::vector<Value>> all_items(const Value& object);

}  // namespace pykc::script
