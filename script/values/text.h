// Text in arrays, NumPy's `S12` and `U12`. One of `U12` is a string of host code; one of `S12`, bytes, stays an array
// of rank 0.
#pragma once

#include <string>
#include <string_view>

#include "script/values/array.h"

namespace pykc::script {

/// `b"ABC"`
Outcome<ArrayRef> bytes_array(std::string_view bytes);
/// A string as text of the type: what is longer is cut off.
Outcome<ArrayRef> text_array(std::string_view text, const RecordRef& type);
/// Text of another width, with the same characters: what is longer is cut off.
Outcome<ArrayRef> resized_text(const Array& text, const RecordRef& type);
/// The type of text that holds a string or what is text already; empty for other values.
RecordRef text_type_of(const Value& value);
/// The wider of two types of text of one kind; empty where there is none.
RecordRef common_text_type(const RecordRef& a, const RecordRef& b);
/// Of one text, without the zeros at its end.
Outcome<std::u32string> characters_of(const Array& text);
/// The same in UTF-8.
Outcome<std::string> string_of(const Array& text);

}  // namespace pykc::script
