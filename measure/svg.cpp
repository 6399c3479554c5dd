#include "measure/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "measure/units.h"

namespace pykc::measure {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

/// Text that stands in an element or in an attribute.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) >= ' ')
      result += c;
  }
  return result;
}

// ---- axes ----

/// From decade to decade.
class LogAxis {
 public:
  LogAxis(double least, double most, double from, double to)
      : first_(static_cast<int>(std::floor(std::log10(least) + 1e-9))),
        last_(std::max(first_ + 1, static_cast<int>(std::ceil(std::log10(most) - 1e-9)))),
        from_(from),
        to_(to) {}
  int first() const { return first_; }
  int last() const { return last_; }
  double operator()(double value) const {
    return from_ + (std::log10(value) - first_) / (last_ - first_) * (to_ - from_);
  }

 private:
  int first_, last_;
  double from_, to_;
};

constexpr double kPlotWidth = 640, kPlotHeight = 480, kHead = 44;
constexpr double kLeft = 108, kRight = 20, kTop = 40, kBottom = 60;

class PlotDrawing {
 public:
  PlotDrawing(Svg& svg, const Plot& plot, double left)
      : svg_(svg), plot_(plot), left_(left), x_(x_axis()), y_(y_axis()) {}

  void draw() {
    svg_.text({(x_(at(x_.first())) + x_(at(x_.last()))) / 2, kHead + 22}, plot_.title, Svg::Anchor::Middle, 15);
    draw_grid();
    for (const Curve& curve : plot_.curves) draw(curve);
    draw_legend();
  }

 private:
  static double at(int decade) { return std::pow(10.0, decade); }

  template <typename Coordinate>
  std::pair<double, double> range(Coordinate coordinate) const {
    double least = 1e300, most = 0;
    for (const Curve& curve : plot_.curves)
      for (const Curve::Sample& sample : curve.samples) {
        least = std::min(least, coordinate(sample));
        most = std::max(most, coordinate(sample));
      }
    return most > 0 ? std::pair(least, most) : std::pair(1.0, 10.0);
  }
  LogAxis x_axis() const {
    const auto [least, most] = range([](const Curve::Sample& sample) { return sample.x; });
    return {least, most, left_ + kLeft, left_ + kPlotWidth - kRight};
  }
  LogAxis y_axis() const {
    const auto [least, most] = range([](const Curve::Sample& sample) { return sample.y; });
    return {least, most, kHead + kPlotHeight - kBottom, kHead + kTop};
  }

  void draw_grid() {
    const double left = x_(at(x_.first())), right = x_(at(x_.last()));
    const double bottom = y_(at(y_.first())), top = y_(at(y_.last()));
    for (int decade = x_.first(); decade <= x_.last(); ++decade) {
      svg_.line({{x_(at(decade)), bottom}, {x_(at(decade)), top}}, {.color = "#ddd"});
      svg_.text({x_(at(decade)), bottom + 18}, tick(decade, plot_.x_unit), Svg::Anchor::Middle);
    }
    for (int decade = y_.first(); decade <= y_.last(); ++decade) {
      svg_.line({{left, y_(at(decade))}, {right, y_(at(decade))}}, {.color = "#ddd"});
      svg_.text({left - 8, y_(at(decade)) + 4}, tick(decade, plot_.y_unit), Svg::Anchor::End);
    }
    svg_.line({{left, top}, {left, bottom}, {right, bottom}}, {});
    svg_.text({(left + right) / 2, bottom + 42}, plot_.x_label, Svg::Anchor::Middle, 13);
    svg_.text({left_ + 18, (top + bottom) / 2}, plot_.y_label, Svg::Anchor::Middle, 13, -90);
  }

  /// "10 us"; without a unit also "0.01".
  static std::string tick(int decade, const std::string& unit) {
    if (unit.empty() && decade < 0 && decade >= -4)
      return "0." + std::string(static_cast<std::size_t>(-decade - 1), '0') + "1";
    const std::string text = with_prefix(at(decade), unit);
    const std::size_t point = text.find('.');
    return point == std::string::npos ? text : text.substr(0, point) + text.substr(text.find(' '));
  }

  void draw(const Curve& curve) {
    if (curve.samples.empty()) return;
    std::vector<Svg::Position> positions;
    for (const Curve::Sample& sample : curve.samples) positions.push_back({x_(sample.x), y_(sample.y)});
    if (curve.has_line) svg_.line(positions, {.color = curve.color, .width = 1.5, .is_dashed = curve.is_dashed});
    if (curve.has_dots)
      for (std::size_t i = 0; i < positions.size(); ++i) svg_.dot(positions[i], curve.color, curve.samples[i].hint);
    if (curve.has_dots || curve.label.empty()) return;
    if (curve.is_named_at_start)
      svg_.text({positions.front().x + 14, positions.front().y + 6}, curve.label, Svg::Anchor::Start);
    else
      svg_.text({positions.back().x, positions.back().y - 6}, curve.label, Svg::Anchor::End);
  }

  /// Names the curves that have dots, in the upper left corner, where no times are and roofs have not begun.
  void draw_legend() {
    double y = kHead + kTop + 16;
    const double x = x_(at(x_.first())) + 12;
    for (const Curve& curve : plot_.curves) {
      if (!curve.has_dots || curve.label.empty()) continue;
      svg_.dot({x, y - 4}, curve.color, curve.label);
      svg_.text({x + 10, y}, curve.label, Svg::Anchor::Start);
      y += 17;
    }
  }

  Svg& svg_;
  const Plot& plot_;
  const double left_;
  const LogAxis x_, y_;
};

}  // namespace

Svg::Svg(double width, double height) {
  const std::string size = "width=\"" + number(width) + "\" height=\"" + number(height) + "\"";
  text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
          " font-family=\"sans-serif\">\n<rect " + size + " fill=\"#fff\"/>\n";
}

void Svg::line(const std::vector<Position>& positions, const Stroke& stroke) {
  text_ += "<polyline fill=\"none\" stroke=\"" + escaped(stroke.color) + "\" stroke-width=\"" + number(stroke.width) +
           "\"" + (stroke.is_dashed ? " stroke-dasharray=\"6 4\"" : "") + " points=\"";
  for (const Position& position : positions) text_ += number(position.x) + "," + number(position.y) + " ";
  text_ += "\"/>\n";
}

void Svg::dot(Position center, std::string_view color, std::string_view hint) {
  text_ += "<circle cx=\"" + number(center.x) + "\" cy=\"" + number(center.y) +
           "\" r=\"4\" fill-opacity=\"0.8\" fill=\"" + escaped(color) + "\"><title>" + escaped(hint) +
           "</title></circle>\n";
}

void Svg::text(Position position, std::string_view text, Anchor anchor, double size, double rotation) {
  constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  const std::string x = number(position.x), y = number(position.y);
  text_ += "<text x=\"" + x + "\" y=\"" + y + "\" font-size=\"" + number(size) + "\" text-anchor=\"" +
           std::string(kAnchors[static_cast<std::size_t>(anchor)]) + "\"";
  if (rotation != 0) text_ += " transform=\"rotate(" + number(rotation) + " " + x + " " + y + ")\"";
  text_ += ">" + escaped(text) + "</text>\n";
}

std::string Svg::document() const { return text_ + "</svg>\n"; }

std::string_view color(std::size_t index) {
  constexpr std::string_view kColors[] = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd",
                                          "#8c564b", "#e377c2", "#17becf", "#bcbd22", "#7f7f7f"};
  return kColors[index % std::size(kColors)];
}

std::string draw(std::string_view title, const std::vector<Plot>& plots) {
  Svg svg(kPlotWidth * static_cast<double>(plots.size()), kHead + kPlotHeight);
  svg.text({kLeft, 28}, title, Svg::Anchor::Start, 17);
  double left = 0;
  for (const Plot& plot : plots) {
    PlotDrawing(svg, plot, left).draw();
    left += kPlotWidth;
  }
  return svg.document();
}

}  // namespace pykc::measure
