// Plots with logarithmic axes as SVG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pykc::measure {

/// Shapes on a sheet, in pixels from its upper left corner.
class Svg {
 public:
  Svg(double width, double height);

  struct Position {
    double x = 0, y = 0;
  };
  struct Stroke {
    std::string_view color = "#333";
    double width = 1;
    bool is_dashed = false;
  };
  enum class Anchor { Start, Middle, End };
  void line(const std::vector<Position>& positions, const Stroke& stroke);
  /// `hint` shows when the pointer rests on it.
  void dot(Position center, std::string_view color, std::string_view hint);
  void text(Position position, std::string_view text, Anchor anchor, double size = 12, double rotation = 0);

  /// The whole document.
  std::string document() const;

 private:
  std::string text_;
};

/// Points in the units of the axes, all above 0, joined by a line.
struct Curve {
  struct Sample {
    double x = 0, y = 0;
    std::string hint = {};
  };
  std::string label = {};  // in the legend; of a curve without dots, at its end
  std::vector<Sample> samples = {};
  std::string_view color = "#333";
  bool is_dashed = false;
  bool has_dots = true, has_line = true;
  bool is_named_at_start = false;  // below its first sample instead: for a line that rises
};

struct Plot {
  std::string title, x_label, y_label, x_unit, y_unit;
  std::vector<Curve> curves;
};

/// Colours that are told apart on white, again from the first after the last.
std::string_view color(std::size_t index);

/// The plots beside each other, under a title.
std::string draw(std::string_view title, const std::vector<Plot>& plots);

}  // namespace pykc::measure
