// Classes of host code, and records.
#pragma once

#include "script/evaluate/evaluator.h"

namespace pykc::script {

/// A class with a decorator is a record; where it is none, the compiler knows why.
Failure wrong_class(const Evaluator& evaluator, const ast::ClassDef& node);
/// A record is a type. An enum is a module of integers, a named tuple makes tuples.
Outcome<Flow> run(Evaluator& evaluator, const ast::ClassDef& node);
Outcome<Value> make_instance(Evaluator& evaluator, const ClassValue& type, CallArguments arguments);
/// `Particle(x, y)`, with the defaults of the class.
Outcome<Value> make_struct(Evaluator& evaluator, const TypeValue& type, CallArguments arguments);

}  // namespace pykc::script
