// What launches on the CPU device cost a GPU (pykc/costs.h), for `pykc.costs`.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <mutex>

#include "base/text.h"
#include "insight/report.h"
#include "python/binding/arrays.h"
#include "python/binding/errors.h"

namespace pykc::python {
namespace {

/// Takes note of the costs of a device's launches.
class CostLog {
 public:
  explicit CostLog(Device device) : device_(std::move(device)) {
    take(without_gil([&] {
      return device_.set_cost_output([kept = kept_](const LaunchCosts& costs) {
        const std::lock_guard lock(kept->mutex);
        kept->launches.push_back(costs);
      });
    }));
  }
  void stop() const {
    take(without_gil([&] { return device_.set_cost_output(nullptr); }));
  }
  std::vector<LaunchCosts> launches() const {
    const std::lock_guard lock(kept_->mutex);
    return kept_->launches;
  }

 private:
  struct Kept {
    std::mutex mutex;
    std::vector<LaunchCosts> launches;
  };
  Device device_;
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

struct CostReports {
  std::vector<insight::Report> list;
};

const insight::Chip& chip_of(const std::string& name) {
  const insight::Chip* chip = insight::find_chip(name);
  if (chip == nullptr)
    throw nb::value_error(
        ("there is no chip " + name + " in the tables: " + list_text(insight::chips(), &insight::Chip::name)).c_str());
  return *chip;
}

/// Calls a function of Python, which knows the text of notebooks, too; then looks for the file itself.
insight::SourceText source_by(nb::handle function) {
  return [function](const std::string& file) {
    const auto text = nb::cast<std::string>(function(file));
    return text.empty() ? insight::source_text(file) : text;
  };
}

}  // namespace

void add_costs(nb::module_& module) {
  nb::class_<CostLog>(module, "CostLog")
      .def(nb::init<Device>(), nb::arg("device"))
      .def("stop", &CostLog::stop)
      .def(
          "reports",
          [](const CostLog& log, const std::string& chip_name, const std::string& ptxas, const std::string& nvdisasm) {
            const insight::Chip& chip = chip_of(chip_name);
            return without_gil([&] {
              insight::Assembly assembly({.ptxas = ptxas, .nvdisasm = nvdisasm});
              return CostReports{insight::make_reports(log.launches(), chip, assembly)};
            });
          },
          nb::arg("chip"), nb::arg("ptxas"), nb::arg("nvdisasm"));
  nb::class_<CostReports>(module, "CostReports")
      .def("__len__", [](const CostReports& reports) { return reports.list.size(); })
      .def(
          "text",
          [](const CostReports& reports, std::size_t number, nb::handle source, int columns) {
            return insight::to_text(reports.list.at(number), source_by(source), columns);
          },
          nb::arg("number"), nb::arg("source"), nb::arg("columns"))
      .def("json", [](const CostReports& reports) { return insight::to_json(reports.list); })
      .def(
          "html",
          [](const CostReports& reports, nb::handle source) {
            return insight::to_html(reports.list, source_by(source));
          },
          nb::arg("source"));
  module.def(
      "chip_target", [](const std::string& name) { return std::string(chip_of(name).target); }, nb::arg("chip"),
      "The target of a chip of the tables: \"sm_90\" of \"H100\".");
}

}  // namespace pykc::python
