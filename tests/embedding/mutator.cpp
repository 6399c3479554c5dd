#include "tests/embedding/mutator.h"

#include <algorithm>
#include <cctype>

#include "frontend/frontend.h"
#include "frontend/syntax/token.h"
#include "tests/random/random.h"

namespace pykc {
namespace {

using Pieces = std::vector<std::string>;

Pieces cut(const std::string& text, const std::vector<std::size_t>& places) {
  Pieces pieces;
  std::size_t begin = 0;
  for (const std::size_t end : places) {
    if (end > begin) pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

Pieces lines_of(const std::string& text) {
  std::vector<std::size_t> ends;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', end + 1)) ends.push_back(end + 1);
  return cut(text, ends);
}

/// Each with the space behind it.
Pieces tokens_of(const std::string& text) {
  Diagnostics ignored;
  std::vector<std::size_t> begins;
  for (const Token& token : lex(SourceFile("mutant.pyk", text), ignored)) begins.push_back(token.range.begin);
  return cut(text, begins);
}

std::string joined(const Pieces& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

/// A letter, a digit or a sign: what stands for a piece of the same sort may still be a program.
int sort_of(const std::string& piece) {
  const auto first = static_cast<unsigned char>(piece.empty() ? ' ' : piece.front());
  return std::isalpha(first) ? 1 : std::isdigit(first) ? 2 : std::isspace(first) ? 3 : 4;
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& sources, std::uint64_t seed) : sources_(sources), random_(seed) {}

  std::string mutant() {
    std::string text = random_.pick(sources_);
    do text = random_.chance(15) ? with_other_byte(std::move(text)) : with_other_pieces(text);
    while (random_.chance(40));
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_.number(static_cast<int>(end))); }

  /// Mostly one of the same sort.
  std::string& like(const std::string& piece, Pieces& among) {
    std::size_t found = below(among.size());
    for (int tries = 0; tries < 10 && sort_of(among[found]) != sort_of(piece); ++tries) found = below(among.size());
    return among[found];
  }

  std::string with_other_byte(std::string text) {
    if (text.empty()) return text;
    char& byte = text[below(text.size())];
    byte = static_cast<char>(random_.chance(50) ? byte ^ 1 << random_.number(8) : random_.number(256));
    return text;
  }

  std::string with_other_pieces(const std::string& text) {
    const bool by_lines = random_.chance(40);
    const auto pieces_of = [by_lines](const std::string& of) { return by_lines ? lines_of(of) : tokens_of(of); };
    Pieces pieces = pieces_of(text);
    const auto at = [&](std::size_t index) { return pieces.begin() + static_cast<std::ptrdiff_t>(index); };
    const std::size_t from = below(pieces.size());
    const std::size_t to = std::min(pieces.size(), from + 1 + below(random_.chance(70) ? 1 : 20));
    const Pieces some(at(from), at(to));
    switch (random_.number(6)) {
      case 0:
        pieces.erase(at(from), at(to));
        break;
      case 1:
        for (int times = random_.chance(90) ? 1 : random_.number(100); times > 0; --times)
          pieces.insert(at(from), some.begin(), some.end());
        break;
      case 2:
        std::swap(pieces[from], like(pieces[from], pieces));
        break;
      case 3:
        pieces.insert(at(below(pieces.size())), some.begin(), some.end());
        break;
      case 4: {
        Pieces others = pieces_of(random_.pick(sources_));
        pieces[from] = like(pieces[from], others);
        break;
      }
      default:
        const Pieces other = pieces_of(random_.pick(sources_));
        pieces.erase(at(from), pieces.end());
        pieces.insert(pieces.end(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size())), other.end());
    }
    return joined(pieces);
  }

  const std::vector<std::string>& sources_;
  random_test::Random random_;
};

}  // namespace

std::string mutant_of(const std::vector<std::string>& sources, std::uint64_t seed) {
  return Mutator(sources, seed).mutant();
}

}  // namespace pykc
