// The page of a browser. Its template is in page/; the data that it shows are those of to_json(), and the texts.
#include <map>
#include <set>

#include "insight/json.h"
#include "insight/page/page_data.h"
#include "insight/report.h"

namespace pykc::insight {
namespace {

constexpr std::string_view kHole = "@DATA@";

std::string place_of(const ListedLine& line) {
  return line.line == 0 ? "" : line.file + ":" + std::to_string(line.line);
}

std::string listing_json(const Listing& listing) {
  return json_list(listing, [](const ListedLine& line) {
    return "[" + json_string(line.text) + ", " + json_string(place_of(line)) + "]";
  });
}

std::string listings_json(const Report& report) {
  return json_object(
      {{"IR", listing_json(report.ir)}, {"PTX", listing_json(report.ptx)}, {"SASS", listing_json(report.sass)}});
}

std::string sources_json(const std::vector<Report>& reports, const SourceText& source) {
  std::set<std::string> files;
  for (const Report& report : reports) {
    for (const LineCosts& line : report.lines) files.insert(line.file);
    for (const Listing* listing : {&report.ir, &report.ptx, &report.sass})
      for (const ListedLine& line : *listing)
        if (line.line != 0) files.insert(line.file);
  }
  return "{" +
         list_text(files,
                   [&](const std::string& file) { return json_string(file) + ": " + json_string(source(file)); }) +
         "}";
}

}  // namespace

std::string to_html(const std::vector<Report>& reports, const SourceText& source) {
  const std::string data = json_object({{"reports", to_json(reports)},
                                        {"listings", json_list(reports, listings_json)},
                                        {"sources", sources_json(reports, source)}});
  const std::string_view page = page_template();
  std::string html(page.substr(0, page.find(kHole)));
  // Text of strangers stands in strings of the JSON, which alone have a `<`: as an escape it neither ends the element
  // of the script nor begins a comment there.
  for (const char c : data) c == '<' ? html += "\\u003c" : html += c;
  return html.append(page.substr(page.find(kHole) + kHole.size()));
}

}  // namespace pykc::insight
