// Draws what stands in #data: the reports of `pykc analyze --json`, the listings of each, and the text of the sources.
// All text goes in as text nodes: none of it is ever read as HTML.
"use strict";

const {reports, listings, sources} = JSON.parse(document.getElementById("data").textContent);
const sourceLines = Object.fromEntries(Object.entries(sources).map(([file, text]) => [file, text.split("\n")]));
const stages = ["IR", "PTX", "SASS"];
const hidden = new Set();
let chosen = 0;
let sorted = {column: null, descending: true};

// --- Elements and words ----------------------------------------------------------------------------------------------

function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const fill = (id, ...children) => document.getElementById(id).replaceChildren(...children);
const grouped = number => Math.round(number).toLocaleString("en-US");
const percent = share => `${Math.round(share * 100)} %`;

/** Three digits and a prefix: "66.4 µs". */
function prefixed(value, unit) {
  if (value === 0) return `0 ${unit}`;
  const power = Math.max(-4, Math.min(5, Math.floor(Math.log10(Math.abs(value)) / 3)));
  const prefix = ["p", "n", "µ", "m", "", "k", "M", "G", "T", "P"][power + 4];
  return `${(value / 1000 ** power).toPrecision(3)} ${prefix}${unit}`;
}

/** Text in which code stands between backquotes. */
function withCode(text) {
  return text.split("`").map((part, i) => i % 2 ? make("code", "", part) : part);
}

const nameOf = report => report.kernel.slice(0, report.kernel.indexOf("("));

function track(share) {
  const bar = make("i");
  bar.style.width = `${share * 100}%`;
  return make("div", "track", bar);
}

// --- All launches ----------------------------------------------------------------------------------------------------

const launchColumns = [
  ["kernel", report => nameOf(report)],
  ["grid", report => report.grid],
  ["block", report => report.block],
  ["about", report => prefixed(report.prediction.seconds, "s")],
  ["limited by", report => report.prediction.limit],
  ["occupancy", report => percent(report.occupancy)],
];

function showLaunches() {
  const head = make("tr", "", ...launchColumns.map(([title], i) => make("th", i === 0 ? "text" : "", title)));
  const rows = reports.map((report, number) => {
    const row = make("tr", number === chosen ? "chosen" : "", ...launchColumns.map(([, text], i) =>
      make("td", i === 0 ? "text name" : "", text(report))));
    row.onclick = () => choose(number);
    return row;
  });
  fill("launches", make("thead", "", head), make("tbody", "", ...rows));
}

// --- Roofline --------------------------------------------------------------------------------------------------------

/** Operations a byte and a second of a launch. One without operations stands at the left edge, as high as what it moves
    would let it be there. */
function pointOf(report, left) {
  const bytes = report.prediction.memory_bytes || report.prediction.l2_bytes;
  const {seconds} = report.prediction;
  if (report.flops === 0) return {x: left, y: left * bytes / seconds, rate: prefixed(bytes / seconds, "B/s")};
  const x = Math.max(left, bytes === 0 ? Infinity : report.flops / bytes);
  return {x, y: report.flops / seconds, rate: prefixed(report.flops / seconds, "FLOP/s")};
}

function showRoofline() {
  const {peaks} = reports[0];
  const width = 560, height = 300, margin = {left: 62, right: 14, top: 14, bottom: 36};
  const [left, right] = [1 / 64, 1024];
  const points = reports.map(report => pointOf(report, left));
  const top = peaks.f32_per_second * 2;
  const lowest = Math.min(left * peaks.bytes_per_second, ...points.map(point => point.y).filter(y => y > 0));
  const bottom = Math.max(lowest / 2, top / 1e8);
  const along = (value, from, to) => Math.log(Math.min(to, Math.max(from, value)) / from) / Math.log(to / from);
  const x = value => margin.left + along(value, left, right) * (width - margin.left - margin.right);
  const y = value => height - margin.bottom - along(value, bottom, top) * (height - margin.top - margin.bottom);
  const svg = draw("svg", {viewBox: `0 0 ${width} ${height}`, role: "img"},
    draw("title", {}, `Roofline of ${reports[0].chip}`));
  const write = (text, attributes) => svg.append(draw("text", attributes, text));
  const line = (x1, y1, x2, y2, name) => svg.append(draw("line", {x1, y1, x2, y2, class: name}));

  for (let value = 1 / 64; value <= right; value *= 8) {
    line(x(value), margin.top, x(value), height - margin.bottom, "grid");
    const text = value < 1 ? `1/${1 / value}` : `${value}`;
    write(text, {x: x(value), y: height - margin.bottom + 14, "text-anchor": "middle"});
  }
  for (let value = 10 ** Math.ceil(Math.log10(bottom)); value <= top; value *= 10) {
    line(margin.left, y(value), width - margin.right, y(value), "grid");
    write(prefixed(value, "").replace(/\.0+ /, " "), {x: margin.left - 6, y: y(value) + 4, "text-anchor": "end"});
  }
  write("operations on floats a byte of memory",
    {x: (width + margin.left) / 2, y: height - 5, "text-anchor": "middle"});
  write("FLOP/s", {transform: `translate(11 ${height / 2}) rotate(-90)`, "text-anchor": "middle"});

  const roof = (peak, name, text, below) => {
    const ridge = peak / peaks.bytes_per_second;
    const path = `M${x(left)},${y(left * peaks.bytes_per_second)}L${x(ridge)},${y(peak)}L${x(right)},${y(peak)}`;
    svg.append(draw("path", {d: path, class: `roof ${name}`}));
    write(text, {x: width - margin.right - 4, y: y(peak) + (below ? 13 : -5), "text-anchor": "end"});
  };
  roof(peaks.f64_per_second, "second", `f64 ${prefixed(peaks.f64_per_second, "FLOP/s")}`, true);
  roof(peaks.f32_per_second, "", `f32 ${prefixed(peaks.f32_per_second, "FLOP/s")}`, false);
  write(`memory ${prefixed(peaks.bytes_per_second, "B/s")}`, {x: x(1) + 6, y: y(peaks.bytes_per_second) + 12});

  // The launch that is chosen has its name; of the others those have that find room.
  const named = [], circles = [];
  const areApart = (a, b) => Math.abs(a.cy - b.cy) > 13 || Math.abs(a.cx - b.cx) > 200;
  const hasRoom = place => named.every(other => areApart(place, other));
  const chosenFirst = [chosen, ...points.keys()].filter((number, i) => i === 0 || number !== chosen);
  for (const number of chosenFirst) {
    const point = points[number], state = number === chosen ? " chosen" : "";
    const name = `${nameOf(reports[number])}: ${point.rate}`;
    const place = {cx: x(point.x), cy: y(point.y), r: number === chosen ? 6.5 : 5};
    const circle = draw("circle", {...place, class: `point${state}`}, draw("title", {}, name));
    circle.onclick = () => choose(number);
    if (number === chosen || reports.length <= 6 && hasRoom(place)) {
      named.push(place);
      const isRight = place.cx > width * 0.7;
      write(name, {x: place.cx + (isRight ? -10 : 10), y: place.cy + 4, "text-anchor": isRight ? "end" : "start",
        class: `label${state}`});
    }
    circles.unshift(circle);
  }
  svg.append(...circles);
  fill("roofline", svg);
}

// --- One launch ------------------------------------------------------------------------------------------------------

function showFacts(report) {
  const {prediction} = report;
  const limit = report.occupancy < 1 && report.occupancy_limit !== "nothing" ? `by ${report.occupancy_limit}` : "";
  const spilled = report.spilled_bytes ? `${grouped(report.spilled_bytes)} bytes spilled` : "";
  const counted = report.blocks_counted === report.blocks ? "all" : grouped(report.blocks_counted);
  const facts = [
    [`on ${report.chip}, about`, prefixed(prediction.seconds, "s"), `limited by ${prediction.limit}`],
    ["occupancy", percent(report.occupancy), limit],
    ["registers", report.registers === null ? "not known" : `${report.registers}`,
      report.registers === null ? "without ptxas" : spilled],
    ["grid", report.grid, ""],
    ["block", report.block, ""],
    ["blocks counted", counted, `of ${grouped(report.blocks)}`],
  ];
  fill("signature", report.kernel);
  fill("facts", ...facts.map(([title, value, more]) =>
    make("div", "", make("dt", "", title), make("dd", "", `${value} `, make("small", "", more)))));

  const needs = Object.entries(prediction.resources).filter(([, seconds]) => seconds > 0).sort((a, b) => b[1] - a[1]);
  fill("needs", ...needs.map(([name, seconds], i) => make("div", i === 0 ? "need limit" : "need",
    make("span", "", name), track(seconds / needs[0][1]), make("span", "", prefixed(seconds, "s")))));

  const scale = report.blocks / report.blocks_counted;
  const bytes = value => value === 0 ? "" : prefixed(value * scale, "B");
  const head = ["array", "size", "read", "written", "moved"];
  fill("arrays", make("tr", "", ...head.map((title, i) => make("th", i === 0 ? "text" : "", title))),
    ...report.arrays.map(array => make("tr", "", make("td", "text code", array.name),
      make("td", "", prefixed(array.bytes, "B")), make("td", "", bytes(array.bytes_read)),
      make("td", "", bytes(array.bytes_written)),
      make("td", "", bytes(32 * (array.sectors_read + array.sectors_written))))));

  fill("advice", ...report.advice.map(advice => {
    const place = `${advice.file}:${advice.line}`;
    const item = make("div", "advice", make("p", "where", place), make("p", "", ...withCode(advice.what)),
      make("p", "fix", ...withCode(advice.fix)));
    item.onclick = () => pin(place);
    return item;
  }));
  if (report.advice.length === 0) fill("advice", "Nothing that its counters show.");
}

// --- Line by line ----------------------------------------------------------------------------------------------------

const each = (count, of) => of ? count / of : null;
const pair = (count, ideal, of) => of ? `${(count / of).toFixed(1)} / ${(ideal / of).toFixed(1)}` : "";

/** What the table of the source says of a line; `value` is what it is sorted by, null where there is nothing to say. */
const columns = [
  {title: "share", hint: "how much of what the kernel waits for the line is", value: line => line.share || null},
  {title: "warps", hint: "warps that ran the line", value: line => line.warps || null,
    text: line => line.warps ? grouped(line.warps) : ""},
  {title: "of 32", hint: "threads of a warp that did, on average", value: line => each(line.lanes, line.warps),
    text: line => line.warps ? (line.lanes / line.warps).toFixed(0) : ""},
  {title: "sectors / ideal", hint: "pieces of 32 bytes that a request to global memory needs, and would need at best",
    value: line => each(line.sectors, line.requests),
    text: line => pair(line.sectors, line.ideal_sectors, line.requests),
    isOver: line => line.sectors >= 2 * line.ideal_sectors && line.sectors > 0},
  {title: "passes / ideal", hint: "passes of a request to shared memory, and those that it would take at best",
    value: line => each(line.wavefronts, line.shared_requests),
    text: line => pair(line.wavefronts, line.ideal_wavefronts, line.shared_requests),
    isOver: line => line.wavefronts >= 1.5 * line.ideal_wavefronts && line.wavefronts > 0},
  {title: "parts ways", hint: "of the warps at a branch, those in which some threads go one way and some the other",
    value: line => each(line.divergent, line.branches) || null,
    text: line => line.divergent ? percent(line.divergent / line.branches) : ""},
];

let rowsOf = new Map();  // by the place, "vecadd.pyk:9": all rows that belong to it
let hueOf = new Map();
let pinned = "";

function tie(row, place) {
  if (!rowsOf.has(place)) return;
  rowsOf.get(place).push(row);
  row.classList.add("tied");
  row.dataset.place = place;
  row.style.setProperty("--hue", hueOf.get(place));
}

function sourceRow(line, file, text) {
  const row = make("tr");
  for (const column of columns) {
    const cell = make("td", column.isOver && line && column.isOver(line) ? "over" : "");
    if (column.title === "share") {
      cell.className = "share";
      if (line && line.share >= 0.005) cell.append(make("div", "", track(line.share), percent(line.share)));
    } else if (line) {
      cell.append(column.text(line));
    }
    row.append(cell);
  }
  row.append(make("td", "number", `${line ? line.line : text.number}`), make("td", "code", text.code));
  tie(row, `${file}:${text.number}`);
  return row;
}

/** The lines of a file that cost something or have code, and the few between them. */
function linesToShow(report, file) {
  const numbers = new Set(report.lines.filter(line => line.file === file).map(line => line.line));
  for (const place of rowsOf.keys())
    if (place.slice(0, place.lastIndexOf(":")) === file) numbers.add(Number(place.slice(place.lastIndexOf(":") + 1)));
  const inOrder = [...numbers].sort((a, b) => a - b);
  const shown = [];
  inOrder.forEach((number, i) => {
    const before = i === 0 ? number - 1 : inOrder[i - 1];
    if (number - before > 4) shown.push(null);
    else for (let between = before + 1; between < number; ++between) shown.push(between);
    shown.push(number);
  });
  return shown;
}

function sourceRows(report) {
  const codeOf = (file, number) => ({number, code: (sourceLines[file] || [])[number - 1] || ""});
  if (sorted.column !== null) {
    const {value} = columns[sorted.column];
    const sign = sorted.descending ? -1 : 1;
    const lines = report.lines.filter(line => value(line) !== null);
    lines.sort((a, b) => sign * (value(a) - value(b)));
    return lines.map(line => sourceRow(line, line.file, codeOf(line.file, line.line)));
  }
  const rows = [];
  for (const file of new Set(report.lines.map(line => line.file))) {
    const wide = text => {
      const cell = make("td", "", text);
      cell.colSpan = columns.length + 2;
      return cell;
    };
    rows.push(make("tr", "file", wide(file)));
    for (const number of linesToShow(report, file)) {
      const line = report.lines.find(one => one.file === file && one.line === number);
      rows.push(number === null ? make("tr", "gap", wide("⋯")) : sourceRow(line, file, codeOf(file, number)));
    }
  }
  return rows;
}

function sourcePane(report) {
  const heads = columns.map((column, number) => {
    const button = make("button", "", column.title);
    button.onclick = () => sortBy(number);
    const head = make("th", "", button);
    head.title = column.hint;
    if (sorted.column === number) head.ariaSort = sorted.descending ? "descending" : "ascending";
    return head;
  });
  const head = make("tr", "", ...heads, make("th", "", "line"), make("th", "text", "source"));
  const body = make("tbody", "", ...sourceRows(report));
  return make("div", "pane source", make("table", "", make("thead", "", head), body));
}

function listingPane(name, lines) {
  const rows = lines.map(([text, place]) => {
    const row = make("tr", "", make("td", "code", text));
    tie(row, place);
    return row;
  });
  const head = make("tr", "", make("th", "text", name));
  const pane = make("div", "pane listing", make("table", "", make("thead", "", head), make("tbody", "", ...rows)));
  pane.hidden = hidden.has(name);
  return pane;
}

/** Places in the order of the source: what costs something, and what a listing has code for. */
function placesOf(report, listing) {
  const places = new Set(report.lines.map(line => `${line.file}:${line.line}`));
  for (const stage of stages) for (const [, place] of listing[stage]) if (place) places.add(place);
  const key = place => [place.slice(0, place.lastIndexOf(":")), Number(place.slice(place.lastIndexOf(":") + 1))];
  return [...places].sort((a, b) => {
    const [[fileA, lineA], [fileB, lineB]] = [key(a), key(b)];
    return fileA < fileB ? -1 : fileA > fileB ? 1 : lineA - lineB;
  });
}

function showLines() {
  const report = reports[chosen], listing = listings[chosen];
  const places = placesOf(report, listing);
  rowsOf = new Map(places.map(place => [place, []]));
  hueOf = new Map(places.map((place, i) => [place, i * 137.508 % 360]));  // neighbours are far apart: the golden angle
  fill("panes", sourcePane(report),
    ...stages.filter(stage => listing[stage].length > 0).map(stage => listingPane(stage, listing[stage])));
  const buttons = stages.map(stage => {
    const button = make("button", "", stage);
    button.disabled = listing[stage].length === 0;
    if (button.disabled) button.title = stage === "SASS" ? "needs ptxas and nvdisasm" : "not known";
    button.ariaPressed = String(!button.disabled && !hidden.has(stage));
    button.onclick = () => {
      hidden.has(stage) ? hidden.delete(stage) : hidden.add(stage);
      showLines();
    };
    return button;
  });
  fill("shown", make("h2", "", "Line by line"), ...buttons);
  mark(pinned, "pinned", true);
}

function mark(place, name, isOn) {
  for (const row of rowsOf.get(place) || []) row.classList.toggle(name, isOn);
}

/** Marks a place everywhere, and scrolls each pane but `from` to it. Once more takes the mark away. */
function pin(place, from = null) {
  mark(pinned, "pinned", false);
  pinned = pinned === place && from !== null ? "" : place;
  mark(pinned, "pinned", true);
  for (const pane of document.querySelectorAll(".pane")) {
    const row = pane.querySelector("tr.pinned");
    if (row && pane !== from) pane.scrollTop = row.offsetTop - pane.clientHeight / 3;
  }
}

function sortBy(column) {
  if (sorted.column !== column) sorted = {column, descending: true};
  else if (sorted.descending) sorted = {column, descending: false};
  else sorted = {column: null, descending: true};
  showLines();
}

function choose(number) {
  chosen = number;
  pinned = "";
  sorted = {column: null, descending: true};
  showLaunches();
  showRoofline();
  showFacts(reports[chosen]);
  showLines();
}

const panes = document.getElementById("panes");
const placeAt = event => event.target.closest("tr[data-place]")?.dataset.place ?? "";
panes.onmouseover = event => mark(placeAt(event), "hover", true);
panes.onmouseout = event => mark(placeAt(event), "hover", false);
panes.onclick = event => placeAt(event) && pin(placeAt(event), event.target.closest(".pane"));

const files = [...new Set(reports.flatMap(report => report.lines.map(line => line.file)))];
document.title = `${files[0] ?? ""}: what it costs a GPU`;
fill("subject", `${files.join(", ")} on ${reports[0].chip}, counted on a CPU by pykc analyze`);
choose(0);
