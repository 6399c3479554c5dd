// Strings as sequences of characters; the expected texts are Python's own.
#include <gtest/gtest.h>

#include "host.h"

namespace pykc::script {
namespace {

TEST(Text, CountsCharacters) {
  expect_printed({
      {"len(''), len('wörld'), len('€𝄞'), len('e\\u0301')", "0 5 2 2"},
      {"'wörld'[1], 'wörld'[-4], 'wörld'[-1], 'wö€𝄞'[2:4]", "ö ö d €𝄞"},
      {"'wörld'[:2], 'wörld'[::-1], 'wörld'[3:], 'aöb€c'[1::2], 'ö'[5:] + '|'", "wö dlröw ld ö€ |"},
      {"'é'[1]", "E0421"},
  });
}

TEST(Text, GoesThroughCharacters) {
  expect_printed({
      {"list('äß'), tuple('ö€'), list(reversed('añ')), sorted('zéaß')",
       "['ä', 'ß'] ('ö', '€') ['ñ', 'a'] ['a', 'z', 'ß', 'é']"},
      {"list(enumerate('é€')), list(zip('äö', range(2))), [c + '.' for c in 'né']",
       "[(0, 'é'), (1, '€')] [('ä', 0), ('ö', 1)] ['n.', 'é.']"},
      {"'ö' in 'wörld', 'o' in 'wörld', 'z' < 'é', '\\uffff' < '𝄞', 'é' * 2", "True False True True éé"},
  });
  EXPECT_EQ(run_host("for c in 'aé€':\n    print(c)\nx, y = 'öé'\nprint(y, x)\n").output, "a\né\n€\né ö\n");
}

TEST(Text, FormatsCharacters) {
  expect_printed({
      {"f\"{'wörld':.2}|{'é':>3}|{'é':ö^4}|{5:€>3}\", '%4s|%-3s|%.1s' % ('é', 'ö', '€€')",
       "wö|  é|öéöö|€€5    é|ö  |€"},
  });
}

}  // namespace
}  // namespace pykc::script
