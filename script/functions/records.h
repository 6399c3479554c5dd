// Records on the host: structs, complex numbers and vectors. A record is an array of rank 0, so that a field of one and
// a field of an array of them are the same thing: a view of the same bytes.
#pragma once

#include <string_view>

#include "script/arithmetic/elementwise.h"
#include "script/values/array.h"

namespace pykc::script {

/// `a.x`, `a['x']`: that field of all records of the array.
Outcome<ArrayRef> field_view(const Array& array, std::string_view name);
/// The field as a value: of one record, the number itself.
Outcome<Value> field_of(const Array& array, std::string_view name);
/// Gives a field of one record, or of all records of an array, a value.
Status set_field(const Array& array, std::string_view name, const Value& value);
/// What an element of a record type is given: a record, or a number for a complex one.
Outcome<ArrayRef> to_records(const Value& value, const RecordRef& type);
bool has_records(const Value& value);
bool is_complex(const Value& value);
/// A complex number, or an array of them, as wide as its parts.
Outcome<Value> complex_of(const Value& real, const Value& imaginary);
/// `abs(z)`
Outcome<Value> magnitude(const Value& complex);
Outcome<Value> conjugate(const Value& complex);
/// `-z`; what is no complex number has no such operator.
Outcome<Value> negate_records(const Value& value);
/// Whether values of which one has records can be equal, by their types; others are compared as different.
bool can_be_equal(const Value& left, const Value& right);
/// Records and complex numbers: equal where all fields are; `+ - * /` for complex ones, and `**` of an integer.
Outcome<Value> apply_to_records(BinaryFunction function, const Value& left, const Value& right);
/// `Particle(x, y)`, `c64(re, im)`, `f32x2(x, y)`. A field that is not given is 0.
Outcome<ArrayRef> make_record(const RecordRef& type, const CallArguments& arguments);
/// The record type of the first record in a nest of lists; empty where there is none.
RecordRef record_in(const Value& nest);
/// `array([(1, 2), p], dtype=Particle)`, `array([1j, 2])`
Outcome<ArrayRef> records_from(const Value& nest, const RecordRef& type);
/// `Particle(x=1.0, y=2.0)`, `(1+2j)`
Outcome<std::string> record_text(const Array& record);

}  // namespace pykc::script
